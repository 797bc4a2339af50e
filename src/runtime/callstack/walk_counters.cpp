// SPDX-License-Identifier: MIT
#include "callstack/walk_counters.hpp"

#include <atomic>

#include "memprof/callstack.hpp"

#include "base/base.hpp"
#include "copies/copies.hpp"

namespace memprof {
namespace {

struct counts {
  std::atomic<std::int64_t> stacks{0};
  std::atomic<std::int64_t> by_frame_pointer{0};
  std::atomic<std::int64_t> by_tables{0};
  std::atomic<std::int64_t> incomplete{0};
};

constinit base::thread_counters<counts> of_threads;
constinit counts of_others;  ///< of threads without counts of their own
constinit thread_local counts* this_thread_counts = nullptr;

}  // namespace

void callstack::count_walk(frames_by_method frames, bool incomplete) noexcept {
  auto const add_to = [&](counts& c, auto&& add) {
    add(c.stacks, 1);
    if (frames.by_frame_pointer != 0) add(c.by_frame_pointer, frames.by_frame_pointer);
    if (frames.by_tables != 0) add(c.by_tables, frames.by_tables);
    if (incomplete) add(c.incomplete, 1);
  };
  if (counts* const c = this_thread_counts) [[likely]] {
    add_to(*c, base::add_alone{});
  } else {
    add_to(of_others, base::add_locked{});
  }
}

void callstack::open_walk_counters() noexcept { this_thread_counts = of_threads.open(); }
void callstack::close_walk_counters() noexcept { of_threads.close(this_thread_counts); }

}  // namespace memprof

namespace memprof::inline v0 {

callstack_counters counters_of_callstacks() noexcept {
  if (auto const* const other = copies::other()) return other->counters_of_callstacks();
  callstack_counters all;
  auto const add = [&all](counts const& c) {
    auto const value = [](std::atomic<std::int64_t> const& sum) {
      return static_cast<unsigned long long>(sum.load(std::memory_order_relaxed));
    };
    all.stacks += value(c.stacks);
    all.frames_by_frame_pointer += value(c.by_frame_pointer);
    all.frames_by_tables += value(c.by_tables);
    all.incomplete += value(c.incomplete);
  };
  add(of_others);
  of_threads.each(add);
  return all;
}

}  // namespace memprof::inline v0
