// SPDX-License-Identifier: MIT
/// \file
/// From an address to the innermost of the ranges that cover it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace memprof::symbolize {

/// Ranges may nest and overlap. Of those that cover an address the one counts that begins last; of
/// several that begin there the shortest, and of equal ones the one that was added last.
class range_map {
 public:
  void add(std::uint64_t low, std::uint64_t high, std::uint32_t value) {
    if (low < high) ranges_.push_back({low, high, value});
  }
  /// Call once, after the last `add`. n log n.
  void finish();
  [[nodiscard]] std::optional<std::uint32_t> find(std::uint64_t address) const noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return ranges_.size(); }

 private:
  struct range {
    std::uint64_t low, high;
    std::uint32_t value;
  };
  /// From `start` to the next segment's start `value` holds.
  struct segment {
    std::uint64_t start;
    std::uint32_t value;
    bool covered;
  };
  void mark(std::uint64_t start, std::uint32_t value, bool covered);

  std::vector<range> ranges_;
  std::vector<segment> segments_;
};

}  // namespace memprof::symbolize
