// SPDX-License-Identifier: MIT
/// \file
/// A long list of small numbers, 2 bytes each where 16 bits hold them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace memprof::analysis {

/// Numbers lie in chunks. A chunk is of 16 bits until a number comes that they do not hold. What is
/// there is not moved when the list grows, but within the first chunk.
class narrow_list {
 public:
  void push_back(std::uint32_t value) {
    if (size_ % chunk_size == 0) chunks_.emplace_back();
    chunk& last = chunks_.back();
    if (last.wide.empty() && value <= std::numeric_limits<std::uint16_t>::max()) {
      if (last.narrow.size() == last.narrow.capacity()) reserve(last.narrow);
      last.narrow.push_back(static_cast<std::uint16_t>(value));
    } else {
      if (last.wide.empty()) {
        last.wide.assign(last.narrow.begin(), last.narrow.end());
        std::exchange(last.narrow, {});
      }
      if (last.wide.size() == last.wide.capacity()) reserve(last.wide);
      last.wide.push_back(value);
    }
    ++size_;
  }
  [[nodiscard]] std::uint32_t operator[](std::size_t i) const {
    chunk const& c = chunks_[i / chunk_size];
    return c.wide.empty() ? c.narrow[i % chunk_size] : c.wide[i % chunk_size];
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  static constexpr std::size_t chunk_size = std::size_t{1} << 16;
  struct chunk {
    std::vector<std::uint16_t> narrow;
    std::vector<std::uint32_t> wide;
  };
  /// Only small traces pay for room by doubling: they have one chunk.
  template <class T>
  void reserve(std::vector<T>& of) const {
    of.reserve(chunks_.size() > 1 ? chunk_size : of.empty() ? 64 : 2 * of.size());
  }

  std::vector<chunk> chunks_;
  std::size_t size_ = 0;
};

}  // namespace memprof::analysis
