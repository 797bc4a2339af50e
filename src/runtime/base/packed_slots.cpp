// SPDX-License-Identifier: MIT
#include "base/packed_slots.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <new>

#include "base/page_memory.hpp"

namespace memprof::base {
namespace {

constexpr std::size_t anchor_size = std::size_t{64} << 10;
constexpr std::size_t largest_page = std::size_t{16} << 10;  // chunks are multiples of it
constexpr std::size_t record_block = std::size_t{128} << 10;

/// An area of addresses where another copy, or a run of ours, is.
slot_area* not_ours() noexcept {
  static constinit slot_area area;
  return &area;
}

}  // namespace

packed_slots::found packed_slots::find(void const* address) const noexcept {
  const auto where = reinterpret_cast<std::uintptr_t>(address);
  const std::uintptr_t offset = where - begin_;
  if (offset >= range_size) return {};
  slot_area* const area =
      table_.areas[offset / size_classes::area_size].load(std::memory_order_acquire);
  if (area == nullptr || area->slots == 0) return {};
  // While no block is in it a run has no mapping: another copy may take its addresses.
  found at{.ours = !area->is_run()};
  const std::size_t in_area = where - area->begin;
  std::size_t number = 0;
  std::size_t rest = 0;  // from the slot's begin to the address
  if (area->chunk_size == small_chunk) {
    number = in_area / small_chunk;
    const std::uint64_t in_chunk = in_area % small_chunk;
    at.slot = static_cast<std::uint32_t>(in_chunk * area->slot_size_inverse >> 32);
    rest = in_chunk - at.slot * area->slot_size;
  } else if (at.ours) {  // 32 bits are enough, and divided faster
    const auto size = static_cast<std::uint32_t>(area->chunk_size);
    number = static_cast<std::uint32_t>(in_area) / size;
    rest = static_cast<std::uint32_t>(in_area) % size;
  } else {
    rest = in_area;
  }
  // Behind the chunks, and where a chunk was never used, others may have mapped something.
  if (number >= area->chunks) return {};
  at.chunk = area->table()[number].load(std::memory_order_acquire);
  if (at.chunk == nullptr) return {};
  if (rest == 0 && at.slot < area->slots) at.entry = &at.chunk->values(area->slots)[at.slot];
  return at;
}

packed_slots::place packed_slots::acquire(unsigned c, std::size_t size) noexcept {
  if (c >= size_classes::count) return {};
  place p = acquire_mapped(c, size);
  if (p.address == nullptr && unmap_empty()) p = acquire_mapped(c, size);
  return p;
}

packed_slots::place packed_slots::acquire_mapped(unsigned c, std::size_t size) noexcept {
  // Areas find out whether the range can be used; a run has no anchor.
  const bool first = table_.next_area.load(std::memory_order_relaxed) == 0;
  if (first && c >= size_classes::slot_classes && claim(0) == nullptr) return {};
  auto& of_class = table_.classes[c];
  place p;
  if (slot_area* const recent = of_class.recent.load(std::memory_order_acquire)) {
    if (acquire_in(*recent, size, p) != outcome::full) return p;
  }
  slot_area* area = of_class.areas.load(std::memory_order_acquire);
  for (; area != nullptr; area = area->next) {
    if (acquire_in(*area, size, p) != outcome::full) return p;
  }
  // An area may turn out to be full of mappings of others.
  for (int attempt = 0; attempt < 4; ++attempt) {
    area = claim(c);
    if (area == nullptr || acquire_in(*area, size, p) != outcome::full) return p;
  }
  return p;
}

packed_slots::outcome packed_slots::acquire_in(slot_area& area, std::size_t size,
                                               place& p) noexcept {
  for (std::uint32_t word = 0; word * 64 < area.chunks; ++word) {
    std::uint64_t open = area.open[word].load(std::memory_order_relaxed);
    for (; open != 0; open &= open - 1) {
      const std::uint32_t number = word * 64 + static_cast<std::uint32_t>(std::countr_zero(open));
      slot_chunk* const chunk = chunk_at(area, number);
      if (chunk == nullptr) return outcome::no_memory;
      bool fresh = false;
      const std::size_t room = area.is_run() ? whole_pages(size) : area.chunk_size;
      const outcome reserved = reserve(area, *chunk, room, fresh);
      if (reserved == outcome::no_memory) return reserved;
      if (reserved == outcome::full) continue;
      if (area.slots == 1) chunk->fresh = fresh;  // else several threads are here
      const std::uint32_t slot = chunk->take(area.slots);
      note_recent(area);
      p.address = area.memory(number) + slot * area.slot_size;
      p.zeroed = fresh;
      p.slot = {
          .entry = &chunk->values(area.slots)[slot], .ours = true, .slot = slot, .chunk = chunk};
      return outcome::found;
    }
  }
  return outcome::full;
}

packed_slots::outcome packed_slots::reserve(slot_area& area, slot_chunk& chunk, std::size_t room,
                                            bool& fresh) noexcept {
  std::uint32_t used = chunk.used.load(std::memory_order_seq_cst);
  while (true) {
    if (used == slot_chunk::changing) return outcome::full;  // by another thread: look elsewhere
    if (used == slot_chunk::not_mapped) {
      if (!chunk.used.compare_exchange_weak(used, slot_chunk::changing)) continue;
      const int error =
          map_pages_at(reinterpret_cast<std::uintptr_t>(area.memory(chunk.number)), room, true);
      fresh = error == 0;
      if (fresh) chunk.mapped = room;
      chunk.used.store(fresh ? 1 : error == EEXIST ? slot_chunk::unusable : slot_chunk::not_mapped);
      if (fresh) return outcome::found;
      if (error != EEXIST) return outcome::no_memory;
      area.mark_full(chunk.number);
      return outcome::full;
    }
    if (used >= area.slots) {  // or unusable
      area.mark_full(chunk.number);
      // A slot may have been freed, and marked, just before.
      if (used != slot_chunk::unusable &&
          chunk.used.load(std::memory_order_seq_cst) != area.slots) {
        area.mark_open(chunk.number);
      }
      return outcome::full;
    }
    if (chunk.used.compare_exchange_weak(used, used + 1)) return outcome::found;
  }
}

void packed_slots::release(found const& slot) noexcept {
  slot_chunk& chunk = *slot.chunk;
  slot_area& area = *chunk.area;
  chunk.put(slot.slot);
  const std::uint32_t used = chunk.used.fetch_sub(1, std::memory_order_seq_cst);
  if (used == area.slots) {
    area.mark_open(chunk.number);
    note_recent(area);
  }
  if (used == 1) {
    table_.emptied.store(true, std::memory_order_relaxed);
    table_.kept.enter(chunk, &give_back);
  }
}

// Under a limit of address space all of it may be in empty chunks of other classes, those that are
// kept and those of which only the pages were given back.
bool packed_slots::unmap_empty() noexcept {
  if (!table_.emptied.exchange(false, std::memory_order_relaxed)) return false;
  bool any = false;
  for (auto& of_class : table_.classes) {
    slot_area* area = of_class.areas.load(std::memory_order_acquire);
    for (; area != nullptr; area = area->next) {
      for (std::uint32_t i = 0; i < area->chunks; ++i) {
        slot_chunk* const chunk = area->table()[i].load(std::memory_order_acquire);
        std::uint32_t empty = 0;
        if (chunk == nullptr || !chunk->used.compare_exchange_strong(empty, slot_chunk::changing))
          continue;
        any |= unmap(*chunk);
      }
    }
  }
  return any;
}

void packed_slots::note_recent(slot_area& area) noexcept {
  auto& recent = table_.classes[area.size_class].recent;
  if (recent.load(std::memory_order_relaxed) != &area) {
    recent.store(&area, std::memory_order_release);
  }
}

void packed_slots::give_back(slot_chunk& chunk) noexcept {
  std::uint32_t empty = 0;
  if (!chunk.used.compare_exchange_strong(empty, slot_chunk::changing)) return;
  slot_area const& area = *chunk.area;
  if (area.chunk_size == small_chunk) {
    // Stays mapped: a hole in the area would be one mapping more for the kernel.
    drop_pages(area.memory(chunk.number), area.chunk_size);
    chunk.used.store(0);
  } else {
    unmap(chunk);
  }
}

/// A chunk that is empty, and `changing`. If the kernel refuses it stays as it is.
bool packed_slots::unmap(slot_chunk& chunk) noexcept {
  const bool unmapped = unmap_pages(chunk.area->memory(chunk.number), chunk.mapped);
  chunk.used.store(unmapped ? slot_chunk::not_mapped : 0);
  return unmapped;
}

slot_chunk* packed_slots::chunk_at(slot_area& area, std::uint32_t number) noexcept {
  std::atomic<slot_chunk*>& entry = area.table()[number];
  slot_chunk* known = entry.load(std::memory_order_acquire);
  if (known != nullptr) return known;
  void* const memory = new_record(slot_chunk::bytes_for(area.slots));
  if (memory == nullptr) return nullptr;
  auto* const chunk = ::new (memory) slot_chunk;
  chunk->number = static_cast<std::uint16_t>(number);
  chunk->area = &area;
  chunk->fill(area.slots);
  return entry.compare_exchange_strong(known, chunk, std::memory_order_acq_rel) ? chunk : known;
}

void* packed_slots::new_record(std::size_t size) noexcept {
  static_assert(slot_chunk::bytes_for(small_chunk / 16) <= record_block / 4);
  char* next = table_.records.load(std::memory_order_acquire);
  while (true) {
    const std::size_t left = -reinterpret_cast<std::uintptr_t>(next) % record_block;
    if (size > left) {
      char* const fresh = static_cast<char*>(map_pages(2 * record_block));
      if (fresh == nullptr) return nullptr;
      // A block begins and ends at multiples of its size; what lies around it is given back.
      const std::size_t before = -reinterpret_cast<std::uintptr_t>(fresh) % record_block;
      if (before != 0) unmap_pages(fresh, before);
      unmap_pages(fresh + before + record_block, record_block - before);
      char* const block = fresh + before;
      // A block that is full to the end would look like one that has not begun.
      if (table_.records.compare_exchange_strong(next, block + 64 + size,
                                                 std::memory_order_acq_rel)) {
        return block + 64;
      }
      unmap_pages(block, record_block);
    } else if (table_.records.compare_exchange_weak(next, next + size, std::memory_order_acq_rel)) {
      return next;
    }
  }
}

slot_area* packed_slots::new_area(unsigned size_class, std::uintptr_t begin) noexcept {
  const std::size_t slot_size = size_classes::size_of(size_class);
  const bool run = size_class >= size_classes::slot_classes;
  const std::size_t chunk_size = std::max(slot_size, small_chunk);
  const auto chunks =
      run ? std::uint32_t{1}
          : static_cast<std::uint32_t>((size_classes::area_size - anchor_size) / chunk_size);
  void* const memory = new_record(sizeof(slot_area) + chunks * sizeof(std::atomic<slot_chunk*>));
  if (memory == nullptr) return nullptr;
  auto* const area = ::new (memory) slot_area;
  area->begin = begin;
  area->size_class = size_class;
  area->slot_size = slot_size;
  area->chunk_size = chunk_size;
  area->slots = static_cast<std::uint32_t>(chunk_size / slot_size);
  area->slot_size_inverse =
      static_cast<std::uint32_t>(((std::uint64_t{1} << 32) + slot_size - 1) / slot_size);
  area->chunks = chunks;
  for (std::uint32_t i = 0; i < chunks; i += 64) {  // nobody else knows it yet
    const std::uint32_t here = chunks - i;
    area->open[i / 64].store(here >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << here) - 1,
                             std::memory_order_relaxed);
  }
  return area;
}

slot_area* packed_slots::claim(unsigned size_class) noexcept {
  if (whole_pages(1) > largest_page) {
    table_.unavailable.store(true, std::memory_order_relaxed);
    return nullptr;
  }
  const bool is_run = size_class >= size_classes::slot_classes;
  const std::size_t run = size_classes::size_of(size_class) / size_classes::area_size + !is_run;
  std::size_t step = run;
  std::size_t refused = 0;
  std::size_t at = (table_.next_area.load(std::memory_order_relaxed) + run - 1) / run * run;
  for (; at + run <= packed_table::areas_in_range; at += step) {
    if (!enter(at, run)) continue;
    const std::uintptr_t begin = begin_ + at * size_classes::area_size;
    const std::uintptr_t end = begin + size_classes::area_size;
    const int error = is_run ? 0 : map_pages_at(end - anchor_size, anchor_size, false);
    if (error == 0) {
      slot_area* const area = new_area(size_class, begin);
      if (area == nullptr) {
        if (!is_run) unmap_pages(reinterpret_cast<void*>(end - anchor_size), anchor_size);
        leave(at, run);
        return nullptr;
      }
      auto& of_class = table_.classes[size_class];
      area->next = of_class.areas.load(std::memory_order_relaxed);
      table_.areas[at].store(area, std::memory_order_release);
      while (!of_class.areas.compare_exchange_weak(area->next, area, std::memory_order_acq_rel)) {
      }
      if (!is_run) table_.next_area.store(at + 1, std::memory_order_relaxed);
      return area;
    }
    if (error != EEXIST) {
      leave(at, run);
      if (void* const elsewhere = map_pages(anchor_size)) {  // there is memory, but not there
        unmap_pages(elsewhere, anchor_size);
        table_.unavailable.store(true, std::memory_order_relaxed);
      }
      return nullptr;
    }
    if (++refused > 8) step *= 2;
  }
  // For a run there may be no room although there is for others.
  if (!is_run) table_.unavailable.store(true, std::memory_order_relaxed);
  return nullptr;
}

bool packed_slots::enter(std::size_t first, std::size_t run) noexcept {
  for (std::size_t i = 0; i < run; ++i) {
    slot_area* none = nullptr;
    if (!table_.areas[first + i].compare_exchange_strong(none, not_ours())) {
      leave(first, i);
      return false;
    }
  }
  return true;
}

void packed_slots::leave(std::size_t first, std::size_t run) noexcept {
  for (std::size_t i = 0; i < run; ++i) {
    table_.areas[first + i].store(nullptr, std::memory_order_relaxed);
  }
}

}  // namespace memprof::base
