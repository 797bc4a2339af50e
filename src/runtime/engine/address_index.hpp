// SPDX-License-Identifier: MIT
/// \file
/// From any address or handle to the record of its tracked block: for blocks whose address we do
/// not choose (memory resources, external allocators).
#pragma once

#include <cstdint>

namespace memprof::engine {

/// Enters a block. False if no memory is to be had.
bool insert_address(void const* address, std::uint32_t index) noexcept;

/// Takes the block at `address` out and returns its index; 0 if there is none, which is found
/// without a lock and without a write. Any thread; right for a block that belongs to the caller.
std::uint32_t take_address(void const* address) noexcept;

/// In a forked child, before anything else: the locks' holders do not exist there.
void reset_address_index_after_fork() noexcept;

}  // namespace memprof::engine
