// SPDX-License-Identifier: MIT
#include "override/tracked_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/base.hpp"
#include "override/good_size.hpp"
#include "override/guarded_blocks.hpp"
#include "override/own_code.hpp"

namespace memprof::override {
namespace {

constinit base::packed_table table;
constinit base::packed_slots packed{table, range_begin};

// Each thread keeps a spare slot of each class up to 5 KiB (a block of 4 KiB and what the next
// allocator rounds that up to), so that pairs of malloc and free need no locked instructions for
// the slot. As with base::spare_index, a signal handler that comes in between may at worst cost a
// slot, never give one out twice. They are in a pool, because plug-ins with a copy of the library
// have hardly any room for thread-local data.
constexpr unsigned spare_classes = base::size_classes::class_of(5 << 10) + 1;
struct spare_slots {
  void* of_class[spare_classes] = {};
};
constinit base::index_pool<spare_slots, 5> spare_pool;
constinit thread_local std::uint32_t own_spares = 0;
constinit std::atomic<bool> watching_exits{false};

void give_back_spares() noexcept {
  const std::uint32_t index = own_spares;
  own_spares = 0;
  if (index == 0) return;
  for (void*& spare : spare_pool[index].of_class) {
    void* const address = spare;
    spare = nullptr;
    if (address != nullptr) packed.release(packed.find(address));
  }
  spare_pool.release(index);
}

/// For a thread whose exit will be noticed.
[[gnu::cold]] void open_spares() noexcept {
  if (!watching_exits.load(std::memory_order_relaxed)) {
    // A thread that keeps a slot has come here after this.
    if (!engine::on_thread_exit(&give_back_spares)) return;
    watching_exits.store(true, std::memory_order_relaxed);
  }
  own_spares = spare_pool.acquire();
}

/// As large as a block of the next allocator: a program that writes as far as it could there
/// damages nothing here.
base::packed_slots::place place_packed(request const& r) noexcept {
  const std::size_t size = std::max(r.size, good_size(r.size));
  const unsigned c = base::size_classes::class_of(size, r.alignment);
  if (c < spare_classes && own_spares != 0) {
    void*& entry = spare_pool[own_spares].of_class[c];
    if (void* const spare = entry) {
      entry = nullptr;
      return {.address = spare, .zeroed = false, .slot = {.entry = &packed.entry_of(spare)}};
    }
  }
  return packed.acquire(c, size);
}

void release_packed(void* address, base::packed_slots::found const& slot) noexcept {
  const unsigned c = base::packed_slots::class_of(slot);
  if (c < spare_classes && engine::current.keeps) {
    if (own_spares == 0) [[unlikely]]
      open_spares();
    if (own_spares != 0) {
      void*& spare = spare_pool[own_spares].of_class[c];
      if (spare == nullptr) {
        spare = address;
        return;
      }
    }
  }
  packed.release(slot);
}

[[noreturn, gnu::cold]] void refuse(char const* caller, bool freed) noexcept {
  base::raw_message({caller, freed ? "(): this sampled block was freed before (double free)"
                                   : "(): no block begins at this address"});
  std::abort();
}

engine::new_block description_of(request const& r, engine::event const& e) noexcept {
  return {.address = nullptr,
          .raw = nullptr,
          .slot = 0,
          .from = r.from,
          .size = r.size,
          .counted_words = e.words(),
          .n_samples = e.n_samples(),
          .frame = r.frame};
}

void* allocate_packed(request const& r, engine::event const& e) noexcept {
  const base::packed_slots::place placed = place_packed(r);
  if (placed.address == nullptr) return nullptr;
  if (r.zeroed && !placed.zeroed) std::memset(placed.address, 0, r.size);
  engine::new_block block = description_of(r, e);
  block.address = placed.address;
  std::uint32_t index = engine::track(block);
  if (index == 0) {
    // No memory for a record. The next allocator may have none, either: at a rate of 1 all that
    // there was is here.
    index = untracked;
    engine::drop_block();
  }
  placed.slot.entry->store(index, std::memory_order_release);
  return placed.address;
}

[[gnu::cold, gnu::noinline]] void* allocate_guarded(request const& r,
                                                    engine::event const& e) noexcept {
  const base::guarded_slots::slot placed = acquire_guarded(r.size, r.alignment, r.form, r.frame);
  if (placed.record == nullptr) return nullptr;
  engine::new_block block = description_of(r, e);
  block.address = reinterpret_cast<void*>(placed.block());
  const std::uint32_t index = engine::track(block);
  if (index == 0) {
    abandon_guarded(placed);
    return nullptr;
  }
  placed.record->index.store(index, std::memory_order_release);
  return block.address;
}

MEMPROF_OWN_CODE void* allocate_aligned(request const& r, engine::event const& e) noexcept {
  check_alignment();
  const aligned_block placed = acquire_aligned(r.size, r.alignment, r.zeroed);
  if (placed.address == nullptr) return nullptr;
  engine::new_block block = description_of(r, e);
  block.address = placed.address;
  block.raw = placed.raw;
  block.slot = placed.slot;
  const std::uint32_t index = engine::track(block);
  if (index != 0 && engine::insert_page(placed.address, index)) {
    engine::count_aligned_block();
    return placed.address;
  }
  if (index != 0) engine::untrack(index, placed.address);
  release_aligned(placed.slot, placed.raw);
  return nullptr;
}

}  // namespace

MEMPROF_OWN_CODE void* allocate_tracked(request const& r, engine::event const& e) noexcept {
  // What is packed here is not seen by the next allocator, and most large blocks are sampled.
  if (!next_samples() && !packed.unavailable()) [[likely]] {
    if (engine::guard_wanted.load(std::memory_order_relaxed)) [[unlikely]] {
      if (void* const block = allocate_guarded(r, e)) return block;
    }
    void* const block = allocate_packed(r, e);
    if (block != nullptr || !packed.unavailable()) return block;
  }
  return allocate_aligned(r, e);
}

MEMPROF_OWN_CODE packed_block find_packed(void const* block, char const* caller) noexcept {
  const base::packed_slots::found found = packed.find(block);
  if (found.entry == nullptr) {
    if (found.surely_ours()) refuse(caller, false);
    return {.slot = {}, .index = find_guarded(block, caller)};
  }
  const std::uint32_t index = found.entry->load(std::memory_order_acquire);
  if (index == 0 && found.surely_ours()) refuse(caller, true);
  return {.slot = found, .index = index};
}

base::packed_slots::usage count_packed() noexcept { return packed.count_usage(); }

void* allocate_untracked(std::size_t size) noexcept {
  const base::packed_slots::place placed = packed.acquire(base::size_classes::class_of(size), size);
  if (placed.address == nullptr) return nullptr;
  if (!placed.zeroed) std::memset(placed.address, 0, size);
  placed.slot.entry->store(untracked, std::memory_order_release);
  return placed.address;
}

std::size_t capacity(void const* block, std::uint32_t index) noexcept {
  if (in_range(block)) {
    if (const auto slot = packed.find(block); slot.entry != nullptr) {
      return base::packed_slots::capacity(slot);
    }
    if (const std::size_t room = guarded_capacity(block); room != not_guarded) return room;
  }
  return aligned_capacity(block, engine::block_at(index).raw);
}

std::size_t usable_size(void const* block, std::uint32_t index) noexcept {
  const std::size_t room = capacity(block, index);
  return index == untracked ? room : std::min(room, good_size(engine::block_at(index).size));
}

MEMPROF_OWN_CODE void free_packed(void* block, packed_block const& found,
                                  release const& how) noexcept {
  if (found.slot.entry == nullptr) [[unlikely]]
    return free_guarded(block, how);
  found.slot.entry->store(0, std::memory_order_relaxed);
  if (found.index != untracked) engine::untrack(found.index, block);
  release_packed(block, found.slot);
}

base::packed_slots::move_result move_pages(void* from, void* to) noexcept {
  using enum base::packed_slots::move_result;
  if (!in_range(from) || !in_range(to)) return refused;
  const auto source = packed.find(from);
  const auto target = packed.find(to);
  // Both are in use. Without an entry they are guarded, or another copy's.
  if (source.entry == nullptr || target.entry == nullptr) return refused;
  if (!base::packed_slots::moves(source, target)) return refused;
  const auto result = packed.move(source, target);
  if (result == refused) return refused;
  void* const without_memory = result == moved ? from : to;
  const auto& slot = result == moved ? source : target;
  const std::uint32_t index = slot.entry->exchange(0, std::memory_order_relaxed);
  if (index != untracked) engine::untrack(index, without_memory);
  packed.release_unmapped(slot);
  return result;
}

void free_aligned_tracked(void* block, std::uint32_t index) noexcept {
  engine::tracked_block const& record = engine::block_at(index);
  const std::uint32_t slot = record.slot;
  void* const raw = record.raw;
  engine::erase_page(block);
  engine::untrack(index, block);
  release_aligned(slot, raw);
}

}  // namespace memprof::override
