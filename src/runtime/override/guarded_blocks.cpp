// SPDX-License-Identifier: MIT
#include "override/guarded_blocks.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include "callstack/callstack.hpp"
#include "engine/engine.hpp"
#include "override/guard_report.hpp"
#include "override/own_code.hpp"
#include "override/sampled_range.hpp"

namespace memprof::override {
namespace {

using slot = base::guarded_slots::slot;

constexpr unsigned char pattern = 0xa9;

constinit base::guarded_table guarded_memory;

/// The bytes around a block that hold the pattern.
struct surroundings {
  unsigned char* before;
  unsigned char* block;
  unsigned char* behind;
  unsigned char* end;
};
surroundings around(slot const& s) noexcept {
  auto* const block = reinterpret_cast<unsigned char*>(s.block());
  const std::uintptr_t pages = base::guarded_slots::pages_of(s);
  const std::size_t room = std::min<std::size_t>(margin, s.block() - pages);
  return {.before = block - room,
          .block = block,
          .behind = block + s.record->size,
          .end = reinterpret_cast<unsigned char*>(s.end)};
}

/// Once, for one thread: false, and a sentence, if blocks cannot be guarded here.
[[gnu::cold, gnu::noinline]] bool begin_guarding() noexcept {
  switch (guarded.open()) {
    case base::guarded_slots::opened::now:
      watch_faults();
      return true;
    case base::guarded_slots::opened::before:
      return true;
    case base::guarded_slots::opened::no_memory:
      return false;
    case base::guarded_slots::opened::unavailable:
      break;
  }
  if (engine::guard_wanted.exchange(false, std::memory_order_relaxed)) {
    base::raw_message(
        "MEMPROF_GUARD=1 has no effect: the addresses for guarded blocks are taken, or do not "
        "exist");
  }
  return false;
}

[[noreturn]] MEMPROF_OWN_CODE void refuse(guard_fault const& fault) noexcept {
  report_guard_fault(fault);
  std::abort();
}

}  // namespace

constinit base::guarded_slots guarded{guarded_memory, range_begin, base::packed_slots::range_size};

stack_note note_stack(void const* frame) noexcept {
  std::array<std::uintptr_t, most_reported_frames> frames;
  const std::size_t n = callstack::capture(frames, frame);
  return {.stack = callstack::intern({frames.data(), n}),
          .thread = static_cast<std::uint32_t>(gettid())};
}

slot acquire_guarded(std::size_t size, std::size_t alignment, void const* frame) noexcept {
  if (!begin_guarding()) return {};
  const slot s = guarded.acquire(size, alignment);
  if (s.record == nullptr) return {};
  const auto [stack, thread] = note_stack(frame);
  s.record->allocated = {.stack = stack, .thread = thread};
  const surroundings bytes = around(s);
  std::memset(bytes.before, pattern, static_cast<std::size_t>(bytes.block - bytes.before));
  std::memset(bytes.behind, pattern, static_cast<std::size_t>(bytes.end - bytes.behind));
  return s;
}

void abandon_guarded(slot const& s) noexcept {
  base::guarded_slots::unmap(s);
  guarded.release(s);
}

[[gnu::noinline]] MEMPROF_OWN_CODE std::uint32_t find_guarded(void const* block,
                                                              char const* caller) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  const slot s = guarded.slot_at(address);
  if (s.record == nullptr) return 0;
  const std::uint32_t index = s.record->index.load(std::memory_order_acquire);
  const bool in_use =
      index != base::guarded_record::none && index != base::guarded_record::changing;
  if (in_use && address == s.block()) return index;
  refuse({.kind = address == s.block() ? guard_fault::freed_twice : guard_fault::no_block,
          .block = s,
          .address = address,
          .caller = caller,
          .frame = __builtin_frame_address(0)});
}

std::size_t guarded_capacity(void const* block) noexcept {
  const slot s = guarded.slot_at(reinterpret_cast<std::uintptr_t>(block));
  return s.record == nullptr ? not_guarded : s.record->size;
}

[[gnu::noinline]] MEMPROF_OWN_CODE void free_guarded(void* block) noexcept {
  void const* const frame = __builtin_frame_address(0);
  const slot s = guarded.slot_at(reinterpret_cast<std::uintptr_t>(block));
  base::guarded_record& record = *s.record;
  std::uint32_t index = record.index.load(std::memory_order_acquire);
  if (index == base::guarded_record::none || index == base::guarded_record::changing ||
      !record.index.compare_exchange_strong(index, base::guarded_record::changing,
                                            std::memory_order_acq_rel)) {
    refuse({.kind = guard_fault::freed_twice,
            .block = s,
            .address = s.block(),
            .caller = "free",
            .frame = frame});
  }
  const auto intact = [](unsigned char c) noexcept { return c == pattern; };
  const surroundings bytes = around(s);
  unsigned char const* damaged = std::find_if_not(bytes.behind, bytes.end, intact);
  if (damaged == bytes.end) damaged = std::find_if_not(bytes.before, bytes.block, intact);
  if (damaged != bytes.block) {
    refuse({.kind = guard_fault::overwritten,
            .block = s,
            .address = reinterpret_cast<std::uintptr_t>(damaged),
            .caller = "free",
            .frame = frame});
  }
  const auto [stack, thread] = note_stack(frame);
  record.freed = {.stack = stack, .thread = thread};
  base::guarded_slots::unmap(s);
  engine::untrack(index, block);
  guarded.release(s);
}

}  // namespace memprof::override
