// SPDX-License-Identifier: MIT
/// \file
/// What the program has set for ranges of code: at most 64, of which the latest counts.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace memprof::delivery {

/// Any thread, lock-free.
template <class Value>
class override_table {
 public:
  /// False if the table is full.
  [[nodiscard]] bool add(std::uintptr_t begin, std::uintptr_t end, Value value) noexcept {
    std::size_t place = count_.load(std::memory_order_relaxed);
    do {
      if (place == most) return false;
    } while (!count_.compare_exchange_weak(place, place + 1, std::memory_order_relaxed));
    entry& e = entries_[place];
    e.begin = begin;
    e.end = end;
    e.value = value;
    e.made.store(true, std::memory_order_release);
    return true;
  }

  [[nodiscard]] bool empty() const noexcept { return count_.load(std::memory_order_relaxed) == 0; }

  /// What was set for `pc`, or `otherwise`. One load while the table is empty, else some for each.
  [[nodiscard]] Value at(std::uintptr_t pc, Value otherwise) const noexcept {
    for (std::size_t i = count_.load(std::memory_order_relaxed); i > 0; --i) {
      entry const& e = entries_[i - 1];
      if (e.made.load(std::memory_order_acquire) && pc >= e.begin && pc < e.end) return e.value;
    }
    return otherwise;
  }

 private:
  static constexpr std::size_t most = 64;
  struct entry {
    std::atomic<bool> made = false;  ///< publishes the rest, which never changes afterwards
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    Value value{};
  };
  std::array<entry, most> entries_{};
  std::atomic<std::size_t> count_{0};
};

}  // namespace memprof::delivery
