// SPDX-License-Identifier: MIT
/// \file
/// From any address or handle to the record of its tracked block: for blocks whose address memprof
/// does not choose (memory resources, external allocators).
#pragma once

#include <cstdint>

namespace memprof::engine {

/// Enters a block. False if there is no memory.
bool insert_address(void const* address, std::uint32_t index) noexcept;

/// Removes the block at `address` and returns its index. Returns 0 if there is none, without a lock
/// and without a write. Any thread; correct for a block that belongs to the caller.
std::uint32_t take_address(void const* address) noexcept;

/// For a forked child, before anything else: the threads that held the locks do not exist there.
void reset_address_index_after_fork() noexcept;

}  // namespace memprof::engine
