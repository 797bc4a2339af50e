// SPDX-License-Identifier: MIT
#include "callstack/taken.hpp"

#include <atomic>

#include "memprof/callstack.hpp"

namespace memprof {
namespace {

struct alignas(64) counters {
  std::atomic<unsigned long long> stacks{0};
  std::atomic<unsigned long long> by_frame_pointer{0};
  std::atomic<unsigned long long> by_tables{0};
  std::atomic<unsigned long long> incomplete{0};
};
constinit counters total;

void add(std::atomic<unsigned long long>& counter, std::uint32_t n) noexcept {
  if (n != 0) counter.fetch_add(n, std::memory_order_relaxed);
}

}  // namespace

void callstack::taken_stack(frames_taken frames, bool incomplete) noexcept {
  add(total.stacks, 1);
  add(total.by_frame_pointer, frames.by_frame_pointer);
  add(total.by_tables, frames.by_tables);
  add(total.incomplete, incomplete ? 1 : 0);
}

callstack_counts callstacks_taken() noexcept {
  constexpr auto relaxed = std::memory_order_relaxed;
  return {.stacks = total.stacks.load(relaxed),
          .frames_by_frame_pointer = total.by_frame_pointer.load(relaxed),
          .frames_by_tables = total.by_tables.load(relaxed),
          .incomplete = total.incomplete.load(relaxed)};
}

}  // namespace memprof
