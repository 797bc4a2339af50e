// SPDX-License-Identifier: MIT
#include "base/guarded_slots.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>

#include "base/page_memory.hpp"

namespace memprof::base {
namespace {

constexpr std::size_t guard_anchor_size = std::size_t{64} << 10;
constexpr std::size_t first_slot_size = std::size_t{8} << 10;
constexpr int most_attempts = 32;
constexpr std::size_t least_alignment = 16;  // as malloc's

constexpr std::size_t slot_size_of(unsigned c) noexcept { return first_slot_size << c; }

}  // namespace

guarded_slots::opened guarded_slots::open() noexcept {
  static_assert((first_slot_size >> 1 << (guarded_table::classes - 1)) == largest);
  if (table_.region.load(std::memory_order_acquire) != 0) return opened::before;
  constexpr std::size_t bytes = guarded_table::classes * slots * sizeof(guarded_record);
  if (table_.records.load(std::memory_order_acquire) == nullptr) {
    // Zeroed pages are valid records. Only those in use are ever touched.
    auto* const fresh = static_cast<guarded_record*>(map_pages(bytes));
    if (fresh == nullptr) return opened::no_memory;
    guarded_record* none = nullptr;
    if (!table_.records.compare_exchange_strong(none, fresh)) unmap_pages(fresh, bytes);
  }
  constexpr int most_copies = 8;
  for (int i = 1; i <= most_copies; ++i) {
    const std::uintptr_t region = begin_ + size_ - static_cast<std::size_t>(i) * region_size;
    // Behind the last class.
    const std::uintptr_t anchor =
        region + (((std::uintptr_t{1} << guarded_table::classes) - 1) << first_class_bits);
    const int error = map_pages_at(anchor, guard_anchor_size, false);
    if (error == EEXIST) continue;
    if (error != 0) break;
    std::uintptr_t none = 0;
    if (table_.region.compare_exchange_strong(none, region)) return opened::now;
    unmap_pages(reinterpret_cast<void*>(anchor), guard_anchor_size);
    return opened::before;
  }
  return opened::unavailable;
}

guarded_slots::slot guarded_slots::slot_of(unsigned c, std::uint32_t number) const noexcept {
  const std::uintptr_t of_class = table_.region.load(std::memory_order_acquire) +
                                  (((std::uintptr_t{1} << c) - 1) << first_class_bits);
  const std::uintptr_t begin = of_class + number * slot_size_of(c);
  return {.record = table_.records.load(std::memory_order_acquire) + (c * slots + number),
          .begin = begin,
          .end = begin + slot_size_of(c),
          .size_class = c};
}

guarded_slots::slot guarded_slots::slot_at(std::uintptr_t address) const noexcept {
  const std::uintptr_t region = table_.region.load(std::memory_order_acquire);
  if (region == 0 || address - region >= region_size) return {};
  const std::uintptr_t offset = address - region;
  // Class c begins at 2^c - 1 times the size of class 0.
  const auto c = static_cast<unsigned>(std::bit_width((offset >> first_class_bits) + 1)) - 1;
  if (c >= guarded_table::classes) return {};
  const std::uintptr_t in_class = offset - (((std::uintptr_t{1} << c) - 1) << first_class_bits);
  return slot_of(c, static_cast<std::uint32_t>(in_class / slot_size_of(c)));
}

guarded_slots::slot guarded_slots::before(slot const& s) const noexcept {
  const slot found = slot_at(s.begin - 1);
  return found.record != nullptr && found.size_class == s.size_class ? found : slot{};
}

std::uintptr_t guarded_slots::pages_of(slot const& s) noexcept {
  return s.block() & ~(std::uintptr_t{whole_pages(1)} - 1);
}

guarded_slots::slot guarded_slots::acquire(std::size_t size, std::size_t alignment) noexcept {
  const std::size_t page = whole_pages(1);
  if (size > largest || alignment > page) return {};
  // The block's begin, counted back from the slot's end.
  const std::size_t step = std::max(alignment, least_alignment);
  const std::size_t back = (std::max<std::size_t>(size, 1) + step - 1) & ~(step - 1);
  const std::size_t room = (back + page - 1) & ~(page - 1);
  if (room > largest) return {};
  const auto c = static_cast<unsigned>(
      std::bit_width((std::max(room, first_slot_size / 2) - 1) / (first_slot_size / 2)));
  if (table_.live.fetch_add(1, std::memory_order_relaxed) < most_live) {
    for (int i = 0; i < most_attempts; ++i) {
      slot s = slot_of(c, table_.of_class[c].next.fetch_add(1, std::memory_order_relaxed) % slots);
      if (try_slot(s, size, slot_size_of(c) - back)) return s;
    }
  }
  table_.live.fetch_sub(1, std::memory_order_relaxed);
  return {};
}

bool guarded_slots::try_slot(slot& s, std::size_t size, std::uintptr_t offset) noexcept {
  guarded_record& record = *s.record;
  if (record.index.load(std::memory_order_acquire) != guarded_record::none) return false;
  const std::uint32_t freed = table_.of_class[s.size_class].freed.load(std::memory_order_relaxed);
  if (record.offset != 0 && freed - record.freed_at < quarantine) return false;
  std::uint32_t none = guarded_record::none;
  if (!record.index.compare_exchange_strong(none, guarded_record::changing,
                                            std::memory_order_acq_rel)) {
    return false;
  }
  const std::uintptr_t begin = (s.begin + offset) & ~(std::uintptr_t{whole_pages(1)} - 1);
  const int error = map_pages_at(begin, s.end - begin, true);
  if (error == 0) {
    record.size = static_cast<std::uint32_t>(size);
    record.offset = static_cast<std::uint32_t>(offset);
    record.freed = {};
    return true;
  }
  // Where somebody else has mapped something, it is not tried again.
  if (error != EEXIST) record.index.store(guarded_record::none, std::memory_order_release);
  return false;
}

void guarded_slots::unmap(slot const& s) noexcept {
  const std::uintptr_t begin = pages_of(s);
  unmap_pages(reinterpret_cast<void*>(begin), s.end - begin);
}

void guarded_slots::release(slot const& s) noexcept {
  auto& freed = table_.of_class[s.size_class].freed;
  s.record->freed_at = freed.fetch_add(1, std::memory_order_relaxed);
  table_.live.fetch_sub(1, std::memory_order_relaxed);
  s.record->index.store(guarded_record::none, std::memory_order_release);
}

}  // namespace memprof::base
