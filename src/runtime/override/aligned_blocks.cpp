// SPDX-License-Identifier: MIT
#include "override/aligned_blocks.hpp"

#include <algorithm>
#include <cstring>

#include "base/base.hpp"
#include "override/next_malloc.hpp"
#include "override/own_code.hpp"

namespace memprof::override {
namespace {

// A slot is a page for one small sampled block. Slot i is always in chunk i / 1024; a chunk
// is 4 MiB of address space, committed page by page as its slots are first used.
constexpr std::size_t slot_size = aligned_block_alignment;
constexpr std::uint32_t slots_per_chunk = 1024;
constexpr std::size_t chunk_size = slot_size * slots_per_chunk;

struct slot {};

constinit base::index_pool<slot> slots;
constinit std::atomic<char*> chunks[std::size_t{1} << 14]{};

char* slot_memory(std::uint32_t index) noexcept {
  std::atomic<char*>& entry = chunks[index / slots_per_chunk];
  char* chunk = entry.load(std::memory_order_acquire);
  if (chunk == nullptr) {
    auto* const fresh = static_cast<char*>(base::map_pages(chunk_size));
    if (fresh == nullptr) return nullptr;
    if (entry.compare_exchange_strong(chunk, fresh, std::memory_order_acq_rel)) {
      chunk = fresh;
    } else {
      base::unmap_pages(fresh, chunk_size);
    }
  }
  return chunk + std::size_t{index % slots_per_chunk} * slot_size;
}

aligned_block place_in_slot(std::size_t size, bool zeroed) noexcept {
  const std::uint32_t index = slots.acquire();
  if (index == 0) return {};
  char* const memory = slot_memory(index);
  if (memory == nullptr) {
    slots.release(index);
    return {};
  }
  if (zeroed) std::memset(memory, 0, size);
  return {.address = memory, .raw = nullptr, .slot = index};
}

MEMPROF_OWN_CODE aligned_block place_in_next(std::size_t size, std::size_t requested_alignment,
                                             bool zeroed) noexcept {
  const std::size_t alignment = std::max(requested_alignment, aligned_block_alignment);
  std::size_t total = 0;
  if (__builtin_add_overflow(size, alignment, &total)) return {};
  // Not memalign: near glibc's mmap threshold it is a hundred times slower, and the aligned
  // chunk would later come from its cache for unsampled blocks and make ordinary frees slow.
  void* const raw = zeroed ? unchecked_malloc.calloc(1, total) : unchecked_malloc.malloc(total);
  if (raw == nullptr) return {};
  const auto start = reinterpret_cast<std::uintptr_t>(raw);
  const std::uintptr_t aligned = (start + alignment - 1) & ~(alignment - 1);
  return {.address = static_cast<char*>(raw) + (aligned - start), .raw = raw, .slot = 0};
}

}  // namespace

MEMPROF_OWN_CODE aligned_block acquire_aligned(std::size_t size, std::size_t alignment,
                                               bool zeroed) noexcept {
  aligned_block placed;
  if (size <= slot_size && alignment <= aligned_block_alignment) {
    placed = place_in_slot(size, zeroed);
  }
  if (placed.address == nullptr) placed = place_in_next(size, alignment, zeroed);
  return placed;
}

void release_aligned(std::uint32_t slot, void* raw) noexcept {
  if (slot != 0) {
    slots.release(slot);
  } else {
    unchecked_malloc.free(raw);
  }
}

std::size_t aligned_capacity(void const* address, void* raw) noexcept {
  if (raw == nullptr) return slot_size;
  const auto offset = static_cast<char const*>(address) - static_cast<char*>(raw);
  return unchecked_malloc.malloc_usable_size(raw) - static_cast<std::size_t>(offset);
}

}  // namespace memprof::override
