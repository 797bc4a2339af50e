// SPDX-License-Identifier: MIT
#include "base/packed_slots.hpp"

namespace memprof::base {

packed_slots::usage packed_slots::count_usage() const noexcept {
  usage all;
  for (auto& c : table_.classes) {
    for (slot_area* area = c.areas.load(std::memory_order_acquire); area != nullptr;
         area = area->next) {
      for (std::uint32_t i = 0; i < area->chunks; ++i) {
        slot_chunk* const chunk = area->table()[i].load(std::memory_order_acquire);
        if (chunk == nullptr) continue;
        if (chunk->used.load(std::memory_order_acquire) >= slot_chunk::unusable) continue;
        all.mapped += chunk->mapped;
        for (std::uint32_t slot = 0; slot < area->slots; ++slot) {
          if (chunk->values(area->slots)[slot].load(std::memory_order_relaxed) == 0) continue;
          ++all.blocks;
          all.in_use += area->is_run() ? chunk->mapped : area->slot_size;
        }
      }
    }
  }
  return all;
}

}  // namespace memprof::base
