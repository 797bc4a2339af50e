// SPDX-License-Identifier: MIT
/// \file
/// From the address of a tracked block that starts a page to its record, without a lock.
///
///     address (47 bits):  | leaf: 17 | page in leaf: 18 | offset: 12, zero |
///
/// 48 bits, and 18 for the leaf, on AArch64: there the kernel gives programs no half of the
/// addresses but all of them, and the upper ones first. Of larger address spaces (LA57, LVA) a
/// program gets what is beyond only if it asks for such an address.
///
/// A radix tree of two levels, not a hash table: a lookup that finds nothing reads two words and
/// writes none, removal needs no tombstone, nothing is ever moved, and so neither thread nor fork
/// can find it half-changed. A leaf covers 1 GiB and is mapped when its first block comes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "memprof/detail/export.hpp"

namespace memprof::engine {

/// The tree, here for `find_page` alone.
namespace page_tree {

inline constexpr unsigned page_bits = 12;
inline constexpr unsigned leaf_bits = 18;
#if defined(__aarch64__)
inline constexpr unsigned address_bits = 48;
#else
inline constexpr unsigned address_bits = 47;
#endif
inline constexpr unsigned root_bits = address_bits - leaf_bits - page_bits;
inline constexpr std::size_t leaf_length = std::size_t{1} << leaf_bits;

using entry = std::atomic<std::uint32_t>;

/// 1 or 2 MiB of zero pages, of which a process touches one or two.
MEMPROF_INTERNAL_API extern constinit std::atomic<entry*> root[std::size_t{1} << root_bits];

struct place {
  std::uintptr_t leaf;
  std::uintptr_t page;
};

inline place place_of(void const* address) noexcept {
  const std::uintptr_t page = reinterpret_cast<std::uintptr_t>(address) >> page_bits;
  return {page >> leaf_bits, page & (leaf_length - 1)};
}

}  // namespace page_tree

/// Enters a block. `address` is page-aligned. False if no memory is to be had, or it is out of
/// these bits. Publishes nothing by itself: the program hands the block on.
MEMPROF_INTERNAL_API bool insert_page(void const* address, std::uint32_t index) noexcept;

/// The index entered for exactly this address, 0 if none. `address` is page-aligned.
/// Right for a block that belongs to the caller; any thread, no lock, no write. Inline: it is what
/// freeing an ordinary block costs that happens to start a page.
inline std::uint32_t find_page(void const* address) noexcept {
  const page_tree::place at = page_tree::place_of(address);
  if (at.leaf >> page_tree::root_bits != 0) [[unlikely]]
    return 0;
  page_tree::entry const* leaf = page_tree::root[at.leaf].load(std::memory_order_acquire);
  return leaf == nullptr ? 0 : leaf[at.page].load(std::memory_order_acquire);
}

MEMPROF_INTERNAL_API void erase_page(void const* address) noexcept;

}  // namespace memprof::engine
