// SPDX-License-Identifier: MIT
/// \file
/// When the traced process began to end: what was in use then counts as in use at the end, although
/// destructors of static objects, say, freed it.
#pragma once

#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

#include "trace/trace.hpp"

namespace memprof::analysis {

class exit_mark {
 public:
  using time = std::chrono::microseconds;

  /// Before each event of a trace is looked at, with its legend. The mark is there before the first
  /// event that comes after it.
  void look(trace::legend legend) {
    const auto notes = legend.notes();
    for (; seen_ < notes.size(); ++seen_) {
      if (notes[seen_].name == "exit_began") at_ = read(notes[seen_].value);
    }
  }
  [[nodiscard]] std::optional<time> at() const noexcept { return at_; }
  [[nodiscard]] bool is_before(time t) const noexcept { return !at_ || t < *at_; }

 private:
  static std::optional<time> read(std::string_view text) noexcept {
    std::int64_t value = -1;
    char const* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || rest != end || value < 0) return std::nullopt;
    return time(value);
  }

  std::size_t seen_ = 0;
  std::optional<time> at_;
};

}  // namespace memprof::analysis
