// SPDX-License-Identifier: MIT
#include "endpoints/called_code.hpp"

#include <sstream>

namespace memprof::endpoints {

void called_code::add(std::span<std::uintptr_t const> frames) {
  for (const std::uintptr_t frame : frames) {
    if (indexes_.try_emplace(frame - 1, addresses_.size()).second) addresses_.push_back(frame - 1);
  }
}

std::string called_code::name(std::size_t i) const {
  modules::code_place const& p = places_.places[i];
  if (!p.function.empty()) return p.function;
  std::ostringstream text;
  if (p.segment == modules::code_place::nowhere) {
    text << std::hex << std::showbase << addresses_[i];
  } else {
    modules::code_segment const& s = places_.segments[p.segment];
    text << s.path.substr(s.path.rfind('/') + 1) << '+' << std::hex << std::showbase
         << addresses_[i] - s.begin + s.file_offset;
  }
  return text.str();
}

}  // namespace memprof::endpoints
