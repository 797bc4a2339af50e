// SPDX-License-Identifier: MIT
#include "symbolize/module_notes.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace memprof::symbolize {
namespace {

constexpr std::size_t longest_note = 3000;

/// Takes a word off the front.
std::string_view next_word(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

std::optional<std::uint64_t> next_number(std::string_view& text) {
  const std::string_view word = next_word(text);
  std::uint64_t n = 0;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), n, 16);
  if (error != std::errc{} || stop != word.data() + word.size()) return std::nullopt;
  return n;
}

}  // namespace

void module_collector::add(trace::location_code code, raw_location const& raw) {
  const std::uint64_t base = code - raw.address;
  auto const [at, is_new] = modules_.try_emplace(
      {{std::string(raw.module), std::string(raw.build_id)}, base}, range{code, code});
  at->second.low = std::min(at->second.low, code);
  at->second.high = std::max(at->second.high, code);
}

void module_collector::put(trace::writer& to) const {
  for (auto const& [which, codes] : modules_) {
    auto const& [module, base] = which;
    const std::string text = fmt::format("{:x} {:x} {:x} {} {}", codes.low, codes.high, base,
                                         module.second.empty() ? "-" : module.second, module.first);
    if (text.size() <= longest_note) to.put(trace::note{module_note, text});
  }
}

noted_modules::noted_modules(trace::legend legend) {
  for (trace::note const& n : legend.notes()) {
    if (n.name != module_note) continue;
    std::string_view rest = n.value;
    const auto low = next_number(rest), high = next_number(rest), base = next_number(rest);
    const std::string_view build_id = next_word(rest);
    if (!low || !high || !base || rest.empty()) continue;
    modules_.push_back({*low, *high, *base, std::string(rest),
                        build_id == "-" ? std::string() : std::string(build_id)});
  }
}

std::optional<raw_location> noted_modules::find(trace::location_code code) const noexcept {
  module_range const* found = nullptr;
  for (module_range const& m : modules_) {
    if (code < m.low || code > m.high) continue;
    if (found != nullptr) return std::nullopt;
    found = &m;
  }
  if (found == nullptr) return std::nullopt;
  return raw_location{found->path, code - found->base, found->build_id};
}

}  // namespace memprof::symbolize
