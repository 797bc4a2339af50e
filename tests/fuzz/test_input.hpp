// SPDX-License-Identifier: MIT
/// \file
/// A fuzzer's input as a row of numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace memprof_fuzz {

struct test_input {
  std::uint8_t const* at;
  std::size_t left;

  /// The next number; with zeros for what is not there.
  template <class T>
  T take() {
    T value{};
    const std::size_t n = std::min(left, sizeof value);
    std::memcpy(&value, at, n);
    at += n;
    left -= n;
    return value;
  }
};

}  // namespace memprof_fuzz
