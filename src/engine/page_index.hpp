// SPDX-License-Identifier: MIT
/// \file
/// From the address of a tracked block that starts a page to its record, without a lock.
///
///     address (47 bits):  | leaf: 17 | page in leaf: 18 | offset: 12, zero |
///
/// A radix tree of two levels, not a hash table: a lookup that finds nothing reads two words and
/// writes none, removal needs no tombstone, nothing is ever moved, and so neither thread nor fork
/// can find it half-changed. A leaf covers 1 GiB and is mapped when its first block comes.
#pragma once

#include <cstdint>

namespace memprof::engine {

/// Enters a block. `address` is page-aligned. False if no memory is to be had, or it is out of
/// the 47 bits. Publishes nothing by itself: the program hands the block on.
bool insert_page(void const* address, std::uint32_t index) noexcept;

/// The index entered for exactly this address, 0 if none. `address` is page-aligned.
/// Right for a block that belongs to the caller; any thread, no lock, no write.
std::uint32_t find_page(void const* address) noexcept;

void erase_page(void const* address) noexcept;

}  // namespace memprof::engine
