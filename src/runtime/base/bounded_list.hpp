// SPDX-License-Identifier: MIT
/// \file
/// A list of bounded length, in place: nothing is allocated, and nothing is written past its end.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace memprof::base {

/// At most N elements. What finds no room is refused, and the caller says what that means.
///
/// \tparam T trivially copyable. Zeroed memory is an empty list; in any other memory that no
///   constructor saw, `clear` makes one.
/// \note Threads: one at a time. Threads that break this spoil elements, never what is around them:
///   each function reads the size once, and stores none above N.
template <class T, std::size_t N>
class bounded_list {
 public:
  /// False if it is full.
  [[nodiscard]] constexpr bool push(T const& value) noexcept {
    const std::size_t n = size_;
    if (n == N) return false;
    all_[n] = value;
    size_ = n + 1;
    return true;
  }
  /// Takes the last one off. False, and `value` is left alone, if there is none.
  [[nodiscard]] constexpr bool pop(T& value) noexcept {
    const std::size_t n = size_;
    if (n == 0) return false;
    value = all_[n - 1];
    size_ = n - 1;
    return true;
  }
  /// Removes those for which wrong(element); the others keep their order.
  template <class Wrong>
  constexpr void remove_if(Wrong wrong) noexcept {
    size_ = static_cast<std::size_t>(std::remove_if(begin(), end(), wrong) - begin());
  }
  constexpr void clear() noexcept { size_ = 0; }

  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] constexpr T* begin() noexcept { return all_.data(); }
  [[nodiscard]] constexpr T* end() noexcept { return all_.data() + size_; }
  [[nodiscard]] constexpr T const* begin() const noexcept { return all_.data(); }
  [[nodiscard]] constexpr T const* end() const noexcept { return all_.data() + size_; }

 private:
  std::size_t size_ = 0;
  std::array<T, N> all_{};
};

}  // namespace memprof::base
