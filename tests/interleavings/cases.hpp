// SPDX-License-Identifier: MIT
/// \file
/// A case of a program: explored, counted, printed.
#pragma once

#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

#include "explorer.hpp"

namespace interleavings {

inline void run_case(char const* name, bounds const& b, std::function<void()> const& begin,
                     std::vector<std::function<void()>> const& threads,
                     std::function<void()> const& end) {
  std::printf("%s: ", name);
  std::fflush(stdout);
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t orders = explore(b, begin, threads, end);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::printf("%llu orders, %.1f s\n", static_cast<unsigned long long>(orders), took.count());
}

}  // namespace interleavings
