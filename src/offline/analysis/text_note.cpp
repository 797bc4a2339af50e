// SPDX-License-Identifier: MIT
#include "analysis/text_note.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <system_error>

#include "analysis/amount_text.hpp"

namespace memprof::analysis {
namespace {

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = -1;
  char const* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end || value < 0) return std::nullopt;
  return value;
}

/// Of "STEP KIB KIB - ..."; nothing if it is not that, or has no value.
std::optional<std::string> series_text(std::string_view text) {
  std::optional<std::int64_t> step;
  std::int64_t least = INT64_MAX, most = 0;
  std::size_t values = 0;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find(' ', from), text.size());
    const std::string_view word = text.substr(from, to - from);
    from = to + 1;
    if (word == "-" && step) continue;
    const auto value = number(word);
    if (!value) return std::nullopt;
    if (!step) {
      step = value;
      continue;
    }
    least = std::min(least, *value);
    most = std::max(most, *value);
    ++values;
  }
  if (values == 0) return std::nullopt;
  return fmt::format("{} values, one each {}: {} to {}", values,
                     duration_text(std::chrono::microseconds(*step)),
                     bytes_text(1024.0 * static_cast<double>(least)),
                     bytes_text(1024.0 * static_cast<double>(most)));
}

}  // namespace

std::string shown_value(text_note const& note) {
  if (note.name == "resident") {
    if (auto series = series_text(note.value)) return *std::move(series);
  }
  if (const auto value = number(note.value)) {
    if (note.name == "exit_began") return duration_text(std::chrono::microseconds(*value));
    if (note.name == "resident_peak" || note.name == "anonymous_peak") {
      return bytes_text(static_cast<double>(*value));
    }
  }
  std::string line = note.value;
  for (std::size_t at = 0; (at = line.find('\n', at)) != line.npos;) line.replace(at, 1, "; ");
  return line;
}

}  // namespace memprof::analysis
