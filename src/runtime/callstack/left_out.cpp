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

bool is_left_out(std::uintptr_t return_address) noexcept {
  for (code_range const& r : ranges) {
    const std::uintptr_t end = r.end.load(std::memory_order_acquire);
    if (end == 0) return false;
    // The call, which is before the address that it returns to.
    if (return_address - 1 - r.begin.load(std::memory_order_relaxed) <
        end - r.begin.load(std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

}  // namespace

void leave_out(void const* begin, void const* end) noexcept {
  const auto first = reinterpret_cast<std::uintptr_t>(begin);
  const auto last = reinterpret_cast<std::uintptr_t>(end);
  if (first >= last) return;
  for (code_range& r : ranges) {
    std::uintptr_t expected = 0;
    if (r.begin.compare_exchange_strong(expected, first, std::memory_order_relaxed)) {
      r.end.store(last, std::memory_order_release);
      return;
    }
    if (expected == first) return;
  }
}

std::span<std::uintptr_t> without_left_out(std::span<std::uintptr_t> stack) noexcept {
  const auto first = std::ranges::find_if_not(stack, is_left_out);
  return stack.subspan(static_cast<std::size_t>(first - stack.begin()));
}

}  // namespace memprof::callstack
