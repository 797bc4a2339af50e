// SPDX-License-Identifier: MIT
// base/packed_slots.cpp: no slot is handed out twice, none is lost, none is given back to the
// kernel while it is used.
#include "checked_atomic.hpp"
// Behind it:
#include "base/packed_slots.cpp"
#include "base/packed_slots_move.cpp"
#include "cases.hpp"
#include "page_arena.hpp"

using namespace interleavings;
namespace base = memprof::base;

namespace {

constexpr std::uintptr_t range_begin = std::uintptr_t{1} << 45;
base::packed_table table;
base::packed_slots slots(table, range_begin);
std::set<void*> in_use;
unsigned size_class = 0;  // of this run
std::size_t size = 0;

/// A class of which a chunk has two slots.
unsigned pairs() {
  unsigned c = 0;
  while (base::size_classes::size_of(c) < 32768) ++c;
  return c;
}
/// One of which a chunk has one slot, which can be moved.
unsigned large() { return base::size_classes::class_of(base::packed_slots::least_moved); }

/// `held` slots are in use.
std::vector<base::packed_slots::place> held;
void give_back(base::packed_slots::place const& p);
void begin(std::size_t n, unsigned of_class) {
  reset_pages();
  size_class = of_class;
  size = base::size_classes::size_of(of_class);
  for (std::size_t i = 0; i < 16; ++i) table.areas[i].store(nullptr);
  std::memset(static_cast<void*>(&table.classes), 0,
              sizeof table - static_cast<std::size_t>(reinterpret_cast<char*>(&table.classes) -
                                                      reinterpret_cast<char*>(&table)));
  in_use.clear();
  held.clear();
  give_back(slots.acquire(size_class, size));  // the area is there, and its first chunk
  while (held.size() < n) held.push_back(slots.acquire(size_class, size));
}

void give_back(base::packed_slots::place const& p) {
  const auto found = slots.find(p.address);
  check(found.entry != nullptr && found.entry == p.slot.entry, "a slot in use is not found");
  found.entry->store(0, std::memory_order_relaxed);
  slots.release(found);
}

void use(std::uint32_t number) {
  const auto p = slots.acquire(size_class, size);
  check(p.address != nullptr, "no slot");
  check(in_use.insert(p.address).second, "a slot was handed out twice");
  check(p.slot.entry->load(std::memory_order_relaxed) == 0, "a slot has an entry already");
  p.slot.entry->store(number, std::memory_order_relaxed);
  before_operation("(uses it)", p.address);
  check(p.slot.chunk->used.peek() < 3, "the chunk of a slot in use was given back");
  in_use.erase(p.address);
  give_back(p);
}

/// A block that grows into the next slot.
void grow(base::packed_slots::place const& from) {
  const auto to = slots.acquire(size_class, size);
  check(in_use.insert(to.address).second, "a slot was handed out twice");
  to.slot.entry->store(1, std::memory_order_relaxed);
  if (base::packed_slots::moves(from.slot, to.slot)) {
    check(slots.move(from.slot, to.slot) == base::packed_slots::move_result::moved, "not moved");
    from.slot.entry->store(0, std::memory_order_relaxed);
    slots.release_unmapped(from.slot);
  } else {
    give_back(from);
  }
  before_operation("(uses it)", to.address);
  in_use.erase(to.address);
  give_back(to);
}

/// A chunk that has a free slot is marked as open, so that it is found again.
void end() {
  base::slot_area* const area = table.classes[size_class].areas.load();
  for (std::uint32_t i = 0; i < 6; ++i) {
    base::slot_chunk* const chunk = area->table()[i].load();
    if (chunk == nullptr) continue;
    const std::uint32_t used = chunk->used.load();
    const bool open = (area->open[0].load() >> i & 1) != 0;
    check(used >= area->slots || open, "a chunk with a free slot is marked as full");
    check(used != base::slot_chunk::changing, "a chunk is being changed for ever");
    if (used > area->slots) continue;
    check(static_cast<std::uint32_t>(std::popcount(chunk->free_bits()[0].load())) ==
              area->slots - used,
          "a slot is lost");
  }
}

}  // namespace

int main() {
  run_case(
      "packed_slots: two threads, the first slots", {.preemptions = 3}, [] { begin(0, pairs()); },
      {[] { use(1); }, [] { use(2); }}, end);
  run_case(
      "packed_slots: the last slot of a chunk, and one that comes back", {.preemptions = 3},
      [] { begin(2, pairs()); }, {[] { use(1); }, [] { give_back(held[0]); }}, end);
  run_case(
      "packed_slots: three threads", {.preemptions = 2}, [] { begin(3, pairs()); },
      {[] { use(1); }, [] { give_back(held[0]), give_back(held[1]); }, [] { use(3); }}, end);
  run_case(
      "packed_slots: a block grows beside one that begins", {.preemptions = 3},
      [] { begin(1, large()); }, {[] { grow(held[0]); }, [] { use(2); }}, end);
  run_case(
      "packed_slots: two blocks grow, and one begins", {.preemptions = 2},
      [] { begin(2, large()); }, {[] { grow(held[0]); }, [] { grow(held[1]); }, [] { use(3); }},
      end);
}
