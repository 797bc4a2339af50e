// SPDX-License-Identifier: MIT
/// \file
/// An atomic type whose operations the explorer orders, in place of std::atomic in what is included
/// after this file: the runtime's own headers and sources, as they are. Include it first, in
/// programs that link nothing else of the library.
#pragma once

// What those include of the standard library, with its own atomics.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "explorer.hpp"

// In std, because the sources say std::atomic.
namespace std {

template <class T>
class checked_atomic {
  static_assert(sizeof(T) <= 8 && is_trivially_copyable_v<T>);

 public:
  constexpr checked_atomic() noexcept = default;
  constexpr checked_atomic(T value) noexcept : value_(value) {}  // NOLINT: as std::atomic
  checked_atomic(checked_atomic const&) = delete;
  checked_atomic& operator=(checked_atomic const&) = delete;

  /// For checks: no operation of the program.
  [[nodiscard]] T peek() const noexcept { return value_; }

  [[nodiscard]] T load(memory_order = memory_order_seq_cst) const noexcept {
    interleavings::before_operation("load", this);
    uint64_t const* const own = interleavings::buffered_value(this);
    if (own == nullptr) return value_;
    T value{};
    memcpy(static_cast<void*>(&value), own, sizeof value);
    return value;
  }
  void store(T value, memory_order order = memory_order_seq_cst) noexcept {
    interleavings::before_operation("store", this);
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    if (order == memory_order_seq_cst || !interleavings::buffer_store(this, bits, sizeof value)) {
      interleavings::drain_buffer();
      value_ = value;
    }
    interleavings::after_store(this);
  }
  T exchange(T value, memory_order = memory_order_seq_cst) noexcept {
    return change("exchange", [&](T) { return value; });
  }
  bool compare_exchange_strong(T& expected, T desired, memory_order = memory_order_seq_cst,
                               memory_order = memory_order_seq_cst) noexcept {
    bool equal = false;
    const T seen = change("compare_exchange", [&](T old) {
      equal = old == expected;
      return equal ? desired : old;
    });
    if (!equal) expected = seen;
    return equal;
  }
  bool compare_exchange_weak(T& expected, T desired, memory_order = memory_order_seq_cst,
                             memory_order = memory_order_seq_cst) noexcept {
    return compare_exchange_strong(expected, desired);
  }
  T fetch_add(T n, memory_order = memory_order_seq_cst) noexcept {
    return change("fetch_add", [&](T old) { return static_cast<T>(old + n); });
  }
  T fetch_sub(T n, memory_order = memory_order_seq_cst) noexcept {
    return change("fetch_sub", [&](T old) { return static_cast<T>(old - n); });
  }
  T fetch_and(T n, memory_order = memory_order_seq_cst) noexcept {
    return change("fetch_and", [&](T old) { return static_cast<T>(old & n); });
  }
  T fetch_or(T n, memory_order = memory_order_seq_cst) noexcept {
    return change("fetch_or", [&](T old) { return static_cast<T>(old | n); });
  }

 private:
  /// Locked instructions empty the buffer.
  template <class F>
  T change(char const* name, F&& f) noexcept {
    interleavings::before_operation(name, this);
    interleavings::drain_buffer();
    const T old = value_;
    value_ = f(old);
    return old;
  }

  T value_{};
};

}  // namespace std

#define atomic checked_atomic
#ifdef __clang__
#pragma clang diagnostic ignored "-Wkeyword-macro"
#endif
#define private public  // some cases begin in the middle: at the end of a lap, with a full queue
