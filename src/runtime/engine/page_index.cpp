// SPDX-License-Identifier: MIT
#include "engine/page_index.hpp"

#include <atomic>
#include <cstddef>

#include "base/base.hpp"

namespace memprof::engine {
constinit std::atomic<page_tree::entry*> page_tree::root[std::size_t{1} << root_bits]{};

namespace {

using namespace page_tree;

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
  const location at = locate(address);
  if (at.leaf >> root_bits != 0) return false;
  entry* leaf = leaf_for(at.leaf);
  if (leaf == nullptr) return false;
  leaf[at.page].store(index, std::memory_order_release);
  return true;
}

void erase_page(void const* address) noexcept {
  const location at = locate(address);
  root[at.leaf].load(std::memory_order_acquire)[at.page].store(0, std::memory_order_release);
}

}  // namespace memprof::engine
