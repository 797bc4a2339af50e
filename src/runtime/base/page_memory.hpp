// SPDX-License-Identifier: MIT
/// \file
/// Memory straight from the kernel for memprof's tables, never through the functions it replaces.
#pragma once

#include <cstddef>
#include <cstdint>

#include "memprof/detail/export.hpp"

namespace memprof::base {

/// `size` rounded up to whole pages of this kernel: 4 KiB on x86-64; 4, 16 or 64 KiB on
/// AArch64.
MEMPROF_INTERNAL_API std::size_t whole_pages(std::size_t size) noexcept;

/// Zeroed, page-aligned, lazily committed memory; null if the kernel refuses. Keeps errno.
/// Tables are never freed: they live as long as the process. Signal-safe; takes no lock of memprof.
MEMPROF_INTERNAL_API void* map_pages(std::size_t size) noexcept;

/// The same in ordinary pages only, for memory of one thread that is hardly touched. The kernel
/// merges neighbours into one mapping and, where it is set to ("always" in
/// transparent_hugepage/enabled), would fill 2 MiB of it at the first touch.
void* map_sparse_pages(std::size_t size) noexcept;

/// Memory at a fixed address.
///
/// \param accessible zeroed and lazily committed, like a block that malloc maps; else addresses
///   alone.
/// \return 0, EEXIST if something is mapped there, or why the kernel refuses. Keeps errno.
int map_pages_at(std::uintptr_t address, std::size_t size, bool accessible) noexcept;

/// Takes the contents of pages back: they are zeroed when next touched.
void drop_pages(void* memory, std::size_t size) noexcept;

/// Moves what is mapped at `from`, one mapping, to `to`, a multiple of the page size elsewhere, and
/// enlarges it; what was mapped at `to` is gone.
///
/// \return 0, or why the kernel refuses. Then `from` is as it was, and so is `to`; but if the
///   reason is EFAULT (several mappings), ENOMEM or EAGAIN, `to` may be unmapped (Linux 6.1 finds
///   these out after it has unmapped it). Keeps errno.
int move_pages(void* from, std::size_t size, void* to, std::size_t new_size) noexcept;

/// Unmaps memory: of a table whose installation lost a race, and of a thread that ends. False if
/// the kernel refuses, which happens at the limit of mappings and in sandboxes.
MEMPROF_INTERNAL_API bool unmap_pages(void* memory, std::size_t size) noexcept;

}  // namespace memprof::base
