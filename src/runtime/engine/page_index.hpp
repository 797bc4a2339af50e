// SPDX-License-Identifier: MIT
/// \file
/// From the address of a tracked block that starts a page to its record, without a lock: for blocks
/// that cannot be packed (override/aligned_blocks.hpp).
///
///     address (47 bits):  | leaf: 17 | page in leaf: 18 | offset: 12, zero |
///
/// On AArch64 48 bits, and 18 for the leaf: there the kernel does not give programs a half of the
/// addresses but all of them, the upper ones first. In larger address spaces (LA57, LVA) a
/// program gets addresses beyond only if it requests them.
///
/// A radix tree of two levels, not a hash table: a lookup that finds nothing reads two words and
/// writes none, removal needs no tombstone, nothing is ever moved, so neither a thread nor a fork
/// can find it half-changed. A leaf covers 1 GiB and is mapped for its first block.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "memprof/detail/export.hpp"

namespace memprof::engine {

/// The tree, here only for `find_page`.
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

struct location {
  std::uintptr_t leaf;
  std::uintptr_t page;
};

inline location locate(void const* address) noexcept {
  const std::uintptr_t page = reinterpret_cast<std::uintptr_t>(address) >> page_bits;
  return {page >> leaf_bits, page & (leaf_length - 1)};
}

}  // namespace page_tree

/// Enters a block. `address` is page-aligned. False if there is no memory, or it is out of
/// these bits. Publishes nothing by itself: the program passes the block to other threads.
MEMPROF_INTERNAL_API bool insert_page(void const* address, std::uint32_t index) noexcept;

/// The index entered for exactly this address, 0 if none. `address` is page-aligned.
/// Correct for a block that belongs to the caller; any thread, no lock, no write. Inline, because
/// every free of an ordinary block that happens to start a page calls it, where sampled blocks are
/// not packed.
inline std::uint32_t find_page(void const* address) noexcept {
  const page_tree::location at = page_tree::locate(address);
  if (at.leaf >> page_tree::root_bits != 0) [[unlikely]]
    return 0;
  page_tree::entry const* leaf = page_tree::root[at.leaf].load(std::memory_order_acquire);
  return leaf == nullptr ? 0 : leaf[at.page].load(std::memory_order_acquire);
}

MEMPROF_INTERNAL_API void erase_page(void const* address) noexcept;

}  // namespace memprof::engine
