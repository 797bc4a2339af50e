// SPDX-License-Identifier: MIT
#include "engine/page_index.hpp"

#include <atomic>
#include <cstddef>

#include "base/base.hpp"

namespace memprof::engine {
namespace {

constexpr unsigned page_bits = 12;
constexpr unsigned leaf_bits = 18;
constexpr unsigned root_bits = 17;
constexpr std::size_t leaf_length = std::size_t{1} << leaf_bits;

using entry = std::atomic<std::uint32_t>;

// 1 MiB of zero pages, of which a process touches one or two.
constinit std::atomic<entry*> root[std::size_t{1} << root_bits]{};

struct place {
  std::uintptr_t leaf;
  std::uintptr_t page;
};

place place_of(void const* address) noexcept {
  const std::uintptr_t page = reinterpret_cast<std::uintptr_t>(address) >> page_bits;
  return {page >> leaf_bits, page & (leaf_length - 1)};
}

entry* leaf_for(std::uintptr_t leaf) noexcept {
  entry* found = root[leaf].load(std::memory_order_acquire);
  if (found != nullptr) return found;
  // Zeroed pages are a valid array of zero atomics on every Linux target.
  void* memory = base::map_pages(leaf_length * sizeof(entry));
  if (memory == nullptr) return nullptr;
  if (root[leaf].compare_exchange_strong(found, static_cast<entry*>(memory),
                                         std::memory_order_acq_rel)) {
    return static_cast<entry*>(memory);
  }
  base::unmap_pages(memory, leaf_length * sizeof(entry));
  return found;
}

}  // namespace

bool insert_page(void const* address, std::uint32_t index) noexcept {
  const place at = place_of(address);
  if (at.leaf >> root_bits != 0) return false;
  entry* leaf = leaf_for(at.leaf);
  if (leaf == nullptr) return false;
  leaf[at.page].store(index, std::memory_order_release);
  return true;
}

std::uint32_t find_page(void const* address) noexcept {
  const place at = place_of(address);
  if (at.leaf >> root_bits != 0) return 0;
  entry* leaf = root[at.leaf].load(std::memory_order_acquire);
  return leaf == nullptr ? 0 : leaf[at.page].load(std::memory_order_acquire);
}

void erase_page(void const* address) noexcept {
  const place at = place_of(address);
  root[at.leaf].load(std::memory_order_acquire)[at.page].store(0, std::memory_order_release);
}

}  // namespace memprof::engine
