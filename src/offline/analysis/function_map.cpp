// SPDX-License-Identifier: MIT
#include "analysis/function_map.hpp"

#include <fmt/format.h>

namespace memprof::analysis {

function_map::meaning function_map::find(code_table::id id,
                                         std::span<trace::location_code const> outside,
                                         code_table& codes, trace::reader const& reader) {
  // A code without locations passes for one of the two calls outside it, the first time and for
  // good.
  code_table::id near = id;
  for (std::size_t i = 0;; ++i) {
    const auto frames = codes.frames(near);
    if (!frames.empty()) {
      frame const& f = frames.back();
      std::uint32_t& place = index_.find(f.function, f.file);
      if (place == flat_index::none) {
        place = add(codes.functions().text(f.function), codes.files().text(f.file));
      }
      return {place, f, true};
    }
    if (i == 2 || i == outside.size()) break;
    near = codes.find(outside[outside.size() - 1 - i], reader);
  }
  return {add(fmt::format("#{:x}", codes.code(id)), "??"), {}, false};
}

std::uint32_t function_map::add(std::string name, std::string file) {
  names_.emplace_back(std::move(name), std::move(file));
  return static_cast<std::uint32_t>(names_.size() - 1);
}

}  // namespace memprof::analysis
