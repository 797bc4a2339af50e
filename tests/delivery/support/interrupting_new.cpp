// SPDX-License-Identifier: MIT
//
// operator new of the matrix and the sweeps: it takes the verdict and raises the interrupt.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include "memprof/interrupted.hpp"

#include "delivery/delivery.hpp"
#include "support/state.hpp"

namespace memprof::test {

constinit run_state state;

namespace {

void record(delivery::decision const& d) noexcept {
  observation& seen = *state.seen;
  if (seen.deferrals == 0) {
    seen.deliver = d.deliver();
    seen.allocations = state.allocations;
  }
  if (d.deliver()) return;
  if (++seen.deferrals > 1) return;
  std::snprintf(seen.reason.data(), seen.reason.size(), "%s", d.reason);
  seen.place = d.place;
}

}  // namespace

[[gnu::noinline]] void allocation_point() {
  if (state.seen == nullptr) return;
  state.allocations.fetch_add(1, std::memory_order_relaxed);
  bool due = state.pending.exchange(false);
  if (!due) {
    if (state.countdown.load(std::memory_order_relaxed) <= 0) return;
    due = state.countdown.fetch_sub(1) == 1;
  }
  if (!due) return;
  if (state.plain) {
    state.raised = true;
    throw std::bad_alloc();
  }
  boundary const* const target = current_boundary();
  delivery::attempt a;
  a.boundary = target;
  a.origin = __builtin_frame_address(0);
  a.uncaught_at_entry = target->uncaught_at_entry;
  delivery::decision const d = delivery::decide(a);
  record(d);
  if (!d.deliver() && state.how == method::retry) {
    state.pending = true;
    return;
  }
  state.target = target;
  state.raised = true;
  delivery::raise(limit_kind::allocations);
}

}  // namespace memprof::test

namespace {

void* counted(void* block) {
  if (block == nullptr) throw std::bad_alloc();
  memprof::test::state.live_blocks.fetch_add(1, std::memory_order_relaxed);
  return block;
}

void give_back(void* block) noexcept {
  if (block == nullptr) return;
  memprof::test::state.live_blocks.fetch_sub(1, std::memory_order_relaxed);
  std::free(block);
}

}  // namespace

// The nothrow and array forms of libstdc++ come here.
void* operator new(std::size_t size) {
  memprof::test::allocation_point();
  return counted(std::malloc(size == 0 ? 1 : size));
}

void* operator new(std::size_t size, std::align_val_t alignment) {
  memprof::test::allocation_point();
  auto const a = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(a, (size + a) & ~(a - 1)));
}

void operator delete(void* block) noexcept { give_back(block); }
void operator delete(void* block, std::size_t) noexcept { give_back(block); }
void operator delete(void* block, std::align_val_t) noexcept { give_back(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { give_back(block); }
