// SPDX-License-Identifier: MIT
#include "callstack/left_out.hpp"

#include <algorithm>
#include <array>
#include <atomic>

namespace memprof::callstack {
namespace {

/// `begin` is claimed by the thread that enters the range; `end` is published after it, and a range
/// counts from then on.
struct code_range {
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> end{0};
};

constinit std::array<code_range, most_left_out> ranges{};
/// Around all ranges: one comparison finds that code of the program, which lies apart, is in none.
/// They only grow, before a range counts.
constinit std::atomic<std::uintptr_t> lowest{~std::uintptr_t{0}};
constinit std::atomic<std::uintptr_t> highest{0};
constinit code_range caller_of_main{};

/// Of `main`'s caller only its callers in the C library are outside.
constexpr std::size_t most_outside = 4;

bool is_in(code_range const& r, std::uintptr_t end, std::uintptr_t return_address) noexcept {
  // The call, which is before the address that it returns to.
  const std::uintptr_t begin = r.begin.load(std::memory_order_relaxed);
  return return_address - 1 - begin < end - begin;
}

bool is_left_out(std::uintptr_t return_address) noexcept {
  if (return_address <= lowest.load(std::memory_order_relaxed) ||
      return_address > highest.load(std::memory_order_relaxed)) {
    return false;
  }
  for (code_range const& r : ranges) {
    const std::uintptr_t end = r.end.load(std::memory_order_acquire);
    if (end == 0) return false;
    if (is_in(r, end, return_address)) return true;
  }
  return false;
}

}  // namespace

void leave_out(void const* begin, void const* end) noexcept {
  const auto first = reinterpret_cast<std::uintptr_t>(begin);
  const auto last = reinterpret_cast<std::uintptr_t>(end);
  if (first >= last) return;
  std::uintptr_t seen = lowest.load(std::memory_order_relaxed);
  while (first < seen && !lowest.compare_exchange_weak(seen, first, std::memory_order_relaxed)) {
  }
  seen = highest.load(std::memory_order_relaxed);
  while (last > seen && !highest.compare_exchange_weak(seen, last, std::memory_order_relaxed)) {
  }
  for (code_range& r : ranges) {
    std::uintptr_t expected = 0;
    if (r.begin.compare_exchange_strong(expected, first, std::memory_order_relaxed)) {
      r.end.store(last, std::memory_order_release);
      return;
    }
    if (expected == first) return;
  }
}

void leave_out_caller_of_main(void const* begin, void const* end) noexcept {
  caller_of_main.begin.store(reinterpret_cast<std::uintptr_t>(begin), std::memory_order_relaxed);
  caller_of_main.end.store(reinterpret_cast<std::uintptr_t>(end), std::memory_order_release);
}

std::size_t count_left_out(std::span<std::uintptr_t const> stack) noexcept {
  const auto first = std::ranges::find_if_not(stack, is_left_out);
  return static_cast<std::size_t>(first - stack.begin());
}

std::span<std::uintptr_t> without_caller_of_main(std::span<std::uintptr_t> stack) noexcept {
  const std::uintptr_t end = caller_of_main.end.load(std::memory_order_acquire);
  if (end == 0) return stack;
  for (std::size_t i = 0; i < std::min(most_outside, stack.size()); ++i) {
    const auto at = stack.end() - 1 - static_cast<std::ptrdiff_t>(i);
    if (!is_in(caller_of_main, end, *at)) continue;
    std::copy(at + 1, stack.end(), at);
    return stack.first(stack.size() - 1);
  }
  return stack;
}

}  // namespace memprof::callstack
