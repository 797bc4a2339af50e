// SPDX-License-Identifier: MIT
/// \file
/// Text in a buffer of the caller's, for messages: nothing is allocated.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>

namespace memprof::base {

/// Writes a text from the buffer's begin, cutting what does not fit. It always ends in a zero.
class bounded_text {
 public:
  /// \param text at least one byte.
  explicit bounded_text(std::span<char> text) noexcept
      : at_(text.data()), end_(text.data() + text.size() - 1) {
    *at_ = '\0';
  }

  bounded_text& operator<<(char const* piece) noexcept {
    while (*piece != '\0' && at_ != end_) *at_++ = *piece++;
    *at_ = '\0';
    return *this;
  }
  template <class Number>
  bounded_text& number(Number value) noexcept {
    char digits[48] = {};
    std::to_chars(digits, digits + sizeof digits - 1, value);
    return *this << digits;
  }
  bounded_text& hexadecimal(std::uintptr_t value) noexcept {
    char digits[2 * sizeof value + 1] = {};
    std::to_chars(digits, digits + sizeof digits - 1, value, 16);
    return *this << "0x" << digits;
  }

 private:
  char* at_;
  char* end_;
};

}  // namespace memprof::base
