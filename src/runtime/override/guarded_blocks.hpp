// SPDX-License-Identifier: MIT
/// \file
/// MEMPROF_GUARD=1: sampled blocks that find accesses beside them and after their free, each in
/// pages of its own (base/guarded_slots.hpp), with the stacks of its allocation and its free.
///
/// What a fault shows is everything past the block's last page or before its first one, and
/// everything after the free. The bytes between a block and the ends of its pages are filled with a
/// pattern, which `free` compares: up to 15 behind it (malloc's blocks are aligned to 16), and
/// `margin` before it. What is only read there is not found.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/base.hpp"
#include "override/block_form.hpp"

namespace memprof::override {

/// The process's guarded slots.
extern constinit base::guarded_slots guarded;

/// Bytes before a block that are compared when it is freed.
inline constexpr std::size_t margin = 64;

/// Memory for a sampled block, filled in but for its index; without record: it is to be packed.
///
/// \param frame as of engine::new_block.
base::guarded_slots::slot acquire_guarded(std::size_t size, std::size_t alignment, block_form form,
                                          void const* frame) noexcept;
/// Takes memory back that no block was made of.
void abandon_guarded(base::guarded_slots::slot const& s) noexcept;

/// The index of the guarded block that begins at an address in the range; 0 if the address is
/// nowhere near one. Reports and ends the process if the block was freed, or begins elsewhere.
///
/// \param caller the function that the program called.
std::uint32_t find_guarded(void const* block, char const* caller) noexcept;

inline constexpr std::size_t not_guarded = ~std::size_t{0};
/// Bytes that a guarded block has room for: what was asked for. `not_guarded` if it is none.
/// Of an empty block it is what lies behind it, as programs double the answer until it suffices: 0
/// would never do. A write there is found all the same.
std::size_t guarded_capacity(void const* block) noexcept;

/// Ends tracking, and makes the pages inaccessible. Reports and ends the process if the bytes
/// around the block are not what they were, if it was allocated otherwise than `how` says, or if
/// another thread has freed it meanwhile.
void free_guarded(void* block, release const& how) noexcept;

/// The block that an access was meant for: of the slot that the address is in, or of the one
/// before, if the address is in the guard between both. Without record: of none.
base::guarded_slots::slot block_of_access(std::uintptr_t address) noexcept;

}  // namespace memprof::override
