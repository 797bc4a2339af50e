// SPDX-License-Identifier: MIT
#include "symbolize/raw_location.hpp"

#include <algorithm>
#include <charconv>

namespace memprof::symbolize {
namespace {

bool is_hexadecimal(std::string_view text) noexcept {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace

std::optional<raw_location> parse_raw(trace::location const& l) noexcept {
  std::string_view rest = l.defname;
  const std::string_view file = l.filename.substr(l.filename.rfind('/') + 1);
  if (file.empty() || !rest.starts_with(file)) return std::nullopt;
  rest.remove_prefix(file.size());
  if (!rest.starts_with("+0x")) return std::nullopt;
  rest.remove_prefix(3);
  raw_location raw{l.filename, 0, {}};
  char const* const end = rest.data() + rest.size();
  const auto [stop, error] = std::from_chars(rest.data(), end, raw.address, 16);
  if (error != std::errc{}) return std::nullopt;
  rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()));
  if (rest.empty()) return raw;
  if (rest.front() != '@') return std::nullopt;
  raw.build_id = rest.substr(1);
  if (raw.build_id.empty() || raw.build_id.size() > 16 || !is_hexadecimal(raw.build_id)) {
    return std::nullopt;
  }
  return raw;
}

}  // namespace memprof::symbolize
