// SPDX-License-Identifier: MIT
// Large blocks that grow: their pages are moved from slot to slot.
#include <cerrno>

#include "base/packed_slots.hpp"
#include "base/page_memory.hpp"

namespace memprof::base {

packed_slots::move_result packed_slots::move(found const& from, found const& to) noexcept {
  slot_chunk const& source = *from.chunk;
  slot_chunk const& target = *to.chunk;
  const bool run = target.area->is_run();
  if (run && table_.runs_stay.load(std::memory_order_relaxed)) return move_result::refused;
  void* const memory = target.area->memory(target.number);
  const int error =
      move_pages(source.area->memory(source.number), source.mapped, memory, target.mapped);
  if (error == 0) return move_result::moved;
  if (error != EFAULT && error != ENOMEM && error != EAGAIN) return move_result::refused;
  // Depending on the kernel the target is unmapped now. If so, it is mapped again.
  const int mapped = map_pages_at(reinterpret_cast<std::uintptr_t>(memory), target.mapped, true);
  if (mapped == 0) return move_result::refused;
  if (mapped != EEXIST) return move_result::lost;
  // It still is, or somebody else was faster, which nobody can tell apart: another copy of the
  // library may map something where a run is, so that is left as it is, and never used again. The
  // addresses of an area are its own.
  if (!run) return move_result::refused;
  table_.runs_stay.store(true, std::memory_order_relaxed);
  return move_result::lost;
}

void packed_slots::release_unmapped(found const& slot) noexcept {
  slot_chunk& chunk = *slot.chunk;
  chunk.put(slot.slot);
  chunk.used.store(slot_chunk::not_mapped);
  chunk.area->mark_open(chunk.number);
  note_recent(*chunk.area);
}

}  // namespace memprof::base
