// SPDX-License-Identifier: MIT
/// \file
/// The instructions of one procedure that are to be read, and those that were: each once outside of
/// a handler, once inside.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace memprof::delivery::aarch64 {

/// A place from where reading goes on.
struct place {
  std::uintptr_t address = 0;
  bool handling = false;  ///< behind __cxa_begin_catch
};

/// Large. No constructor need run; `open` comes first.
class region {
 public:
  /// Code [begin, end), nothing of it read. False if it is too long.
  bool open(std::uintptr_t begin, std::uintptr_t end) noexcept {
    if (end < begin || end - begin > most_bytes) return false;
    begin_ = begin;
    end_ = end;
    first_ = words_ = (bit_of({end, false}) + 63) / 64;
    for (std::size_t i = 0; i < words_; ++i) reached_[i] = read_[i] = 0;
    return true;
  }
  [[nodiscard]] bool contains(std::uintptr_t address) const noexcept {
    return address >= begin_ && address < end_ && address % 4 == 0;
  }
  /// To be read, unless it was. Must be contained.
  void reach(place p) noexcept {
    const std::size_t bit = bit_of(p);
    reached_[bit / 64] |= std::uint64_t{1} << bit % 64;
    if (bit / 64 < first_) first_ = bit / 64;
  }
  /// The next place to be read.
  bool take(place& p) noexcept {
    for (; first_ < words_; ++first_) {
      const std::uint64_t left = reached_[first_] & ~read_[first_];
      if (left == 0) continue;
      const std::size_t bit = first_ * 64 + static_cast<unsigned>(__builtin_ctzll(left));
      p = {begin_ + bit / 2 * 4, bit % 2 != 0};
      return true;
    }
    return false;
  }
  /// It is read now. False if it was already.
  bool begin_reading(place p) noexcept {
    const std::size_t bit = bit_of(p);
    const std::uint64_t mask = std::uint64_t{1} << bit % 64;
    if ((read_[bit / 64] & mask) != 0) return false;
    read_[bit / 64] |= mask;
    return true;
  }

 private:
  static constexpr std::size_t most_bytes = 256 * 1024;
  static constexpr std::size_t most_words = most_bytes / 4 * 2 / 64;
  [[nodiscard]] std::size_t bit_of(place p) const noexcept {
    return (p.address - begin_) / 4 * 2 + (p.handling ? 1 : 0);
  }

  std::uintptr_t begin_;
  std::uintptr_t end_;
  std::size_t first_;  // no word before it has anything to be read
  std::size_t words_;
  std::array<std::uint64_t, most_words> reached_;
  std::array<std::uint64_t, most_words> read_;
};

/// The places where reading enters a procedure, each once.
class entries {
 public:
  void reset() noexcept { count_ = taken_ = 0; }
  /// False if there is no more room.
  bool add(place p) noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
      if (all_[i].address == p.address && all_[i].handling == p.handling) return true;
    }
    if (count_ == all_.size()) return false;
    all_[count_++] = p;
    return true;
  }
  bool take(place& p) noexcept {
    if (taken_ == count_) return false;
    p = all_[taken_++];
    return true;
  }

 private:
  std::array<place, 64> all_;
  std::size_t count_;
  std::size_t taken_;
};

}  // namespace memprof::delivery::aarch64
