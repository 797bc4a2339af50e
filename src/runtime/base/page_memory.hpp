// SPDX-License-Identifier: MIT
/// \file
/// Memory straight from the kernel, for our own tables: never through the functions we replace.
#pragma once

#include <cstddef>

#include "memprof/detail/export.hpp"

namespace memprof::base {

/// `size` rounded up to whole pages of this kernel: of 4 KiB on x86-64, of 4, 16 or 64 KiB on
/// AArch64.
MEMPROF_INTERNAL_API std::size_t whole_pages(std::size_t size) noexcept;

/// Zeroed, page-aligned, lazily committed memory; null if the kernel refuses. Keeps errno.
/// Tables are never given back: they live as long as the process. Signal-safe; no lock of ours.
MEMPROF_INTERNAL_API void* map_pages(std::size_t size) noexcept;

/// The same in ordinary pages only: for what each thread has for itself and hardly touches. Of
/// neighbours the kernel makes one mapping, and, where it is set to ("always" in
/// transparent_hugepage/enabled), would fill 2 MiB of it at the first touch.
void* map_sparse_pages(std::size_t size) noexcept;

/// Gives back what a lost race for a table's place has mapped in vain, and what a thread had for
/// itself.
MEMPROF_INTERNAL_API void unmap_pages(void* memory, std::size_t size) noexcept;

}  // namespace memprof::base
