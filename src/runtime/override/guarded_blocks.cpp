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
#include "override/replaced_operators.hpp"
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

/// The first byte behind or before a block that does not hold the pattern any more, or null.
unsigned char const* find_damage(surroundings const& bytes) noexcept {
  const auto intact = [](unsigned char c) noexcept { return c == pattern; };
  unsigned char const* const behind = std::find_if_not(bytes.behind, bytes.end, intact);
  if (behind != bytes.end) return behind;
  unsigned char const* const before = std::find_if_not(bytes.before, bytes.block, intact);
  return before != bytes.block ? before : nullptr;
}

/// new[] with delete, or new with delete[]. Not malloc with delete and the like: where a program
/// has operators of its own, that may be how they are meant, and the C library does not mind.
bool is_mismatched(block_form allocated, block_form freed) noexcept {
  if (allocated == freed || allocated == block_form::malloc || freed == block_form::malloc) {
    return false;
  }
  return !is_replaced(basic_form::new_single) && !is_replaced(basic_form::new_array) &&
         !is_replaced(basic_form::delete_single) && !is_replaced(basic_form::delete_array);
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

/// Whether the block of a slot can have to do with an access there; and how far off that is.
bool was_used(slot const& s) noexcept { return s.record != nullptr && s.record->offset != 0; }
bool is_live(slot const& s) noexcept { return s.record->freed.thread == 0; }
std::uintptr_t distance(slot const& s, std::uintptr_t address) noexcept {
  if (address < s.block()) return s.block() - address;
  return address < s.block_end() ? 0 : address - s.block_end() + 1;
}

}  // namespace

constinit base::guarded_slots guarded{guarded_memory, range_begin, base::packed_slots::range_size};

slot block_of_access(std::uintptr_t address) noexcept {
  const slot here = guarded.slot_at(address);
  if (here.record == nullptr) return {};
  const slot left = guarded.before(here);
  const bool in_pages = was_used(here) && address >= base::guarded_slots::pages_of(here);
  if (in_pages || !was_used(left)) return was_used(here) ? here : slot{};
  if (!was_used(here)) return left;
  if (is_live(left) != is_live(here)) return is_live(left) ? left : here;
  return distance(left, address) <= distance(here, address) ? left : here;
}

stack_note note_stack(void const* frame) noexcept {
  std::array<std::uintptr_t, most_reported_frames> frames;
  const std::size_t n = callstack::capture(frames, frame);
  return {.stack = callstack::intern({frames.data(), n}),
          .thread = static_cast<std::uint32_t>(gettid())};
}

slot acquire_guarded(std::size_t size, std::size_t alignment, block_form form,
                     void const* frame) noexcept {
  if (!begin_guarding()) return {};
  const slot s = guarded.acquire(size, alignment);
  if (s.record == nullptr) return {};
  const auto [stack, thread] = note_stack(frame);
  s.record->form = static_cast<std::uint8_t>(form);
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
  const slot near = address == s.block() ? s : block_of_access(address);
  refuse({.kind = address == s.block() ? guard_fault::freed_twice : guard_fault::no_block,
          .block = near,
          .address = address,
          .caller = caller,
          .frame = __builtin_frame_address(0)});
}

std::size_t guarded_capacity(void const* block) noexcept {
  const slot s = guarded.slot_at(reinterpret_cast<std::uintptr_t>(block));
  if (s.record == nullptr) return not_guarded;
  return s.record->size != 0 ? s.record->size : s.end - s.block();
}

[[gnu::noinline]] MEMPROF_OWN_CODE void free_guarded(void* block, release const& how) noexcept {
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
            .caller = how.caller,
            .frame = frame});
  }
  if (unsigned char const* const damaged = find_damage(around(s))) {
    refuse({.kind = guard_fault::overwritten,
            .block = s,
            .address = reinterpret_cast<std::uintptr_t>(damaged),
            .caller = how.caller,
            .frame = frame});
  }
  const bool other_form = is_mismatched(static_cast<block_form>(record.form), how.form);
  const bool other_size = how.size != release::unknown_size && how.size != record.size;
  if (other_form || other_size) {
    refuse({.kind = other_form ? guard_fault::other_form : guard_fault::other_size,
            .block = s,
            .address = s.block(),
            .size = how.size,
            .caller = how.caller,
            .frame = frame});
  }
  const auto [stack, thread] = note_stack(frame);
  record.freed = {.stack = stack, .thread = thread};
  base::guarded_slots::unmap(s);
  engine::untrack(index, block);
  guarded.release(s);
}

}  // namespace memprof::override
