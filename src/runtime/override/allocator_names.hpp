// SPDX-License-Identifier: MIT
/// \file
/// Functions by which allocators free, resize and measure blocks beside those of the C library.
///
/// Programs that are built for one allocator pass these functions blocks from malloc (folly frees
/// by jemalloc's `sdallocx`), and a sampled block is none that the allocator knows. So where the
/// next allocator has such functions, the calls of them in all modules are led to ours. We do not
/// define these names: another allocator of a plug-in's own would lose them.
///
/// Left alone are functions that only allocate (their blocks are the allocator's own, uncounted),
/// those for blocks of one heap or with promises that malloc's blocks never had (`mi_heap_realloc`,
/// `mi_rezalloc`, `scalable_free`), and methods (`MallocExtension`).
#pragma once

#include <span>

#include "override/loaded_bindings.hpp"

namespace memprof::override {

/// The calls that were led to ours when this library was loaded; nothing over glibc's malloc. For
/// modules that are loaded later.
std::span<rebinding const> allocator_names() noexcept;

}  // namespace memprof::override
