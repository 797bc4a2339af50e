// SPDX-License-Identifier: MIT
/// \file
/// A hash table from pairs of integers to indexes, for the inner loops of the analyses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace memprof::analysis {

/// Open addressing, at most half full. Nothing is ever removed.
class flat_index {
 public:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  /// The place of (major, minor): `none` if it is new, and to be set by the caller then, before the
  /// next call. The reference is good until then.
  std::uint32_t& find(std::uint64_t major, std::uint32_t minor = 0) {
    for (std::size_t i = hash(major, minor) & mask_;; i = (i + 1) & mask_) {
      slot& s = slots_[i];
      if (s.value == none) return insert(s, major, minor);
      if (s.major == major && s.minor == minor) return s.value;
    }
  }
  /// The same of what need not be there: `none` if it is not.
  [[nodiscard]] std::uint32_t lookup(std::uint64_t major, std::uint32_t minor = 0) const {
    for (std::size_t i = hash(major, minor) & mask_;; i = (i + 1) & mask_) {
      slot const& s = slots_[i];
      if (s.value == none || (s.major == major && s.minor == minor)) return s.value;
    }
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  struct slot {
    std::uint64_t major = 0;
    std::uint32_t minor = 0;
    std::uint32_t value = none;
  };

  static std::size_t hash(std::uint64_t major, std::uint32_t minor) noexcept {
    std::uint64_t h = (major ^ (std::uint64_t{minor} << 40) ^ minor) * 0x9E3779B97F4A7C15U;
    h ^= h >> 32;
    h *= 0xD6E8FEB86659FD93U;
    return static_cast<std::size_t>(h ^ (h >> 32));
  }

  std::uint32_t& insert(slot& free, std::uint64_t major, std::uint32_t minor) {
    if (++size_ * 2 <= slots_.size()) {
      free.major = major;
      free.minor = minor;
      return free.value;
    }
    grow();
    --size_;
    return find(major, minor);
  }

  void grow() {
    std::vector<slot> old(slots_.size() * 2);
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    for (slot const& s : old) {
      if (s.value == none) continue;
      std::size_t i = hash(s.major, s.minor) & mask_;
      while (slots_[i].value != none) i = (i + 1) & mask_;
      slots_[i] = s;
    }
  }

  std::vector<slot> slots_{std::vector<slot>(64)};
  std::size_t mask_ = 63;
  std::size_t size_ = 0;
};

}  // namespace memprof::analysis
