// SPDX-License-Identifier: MIT
// Only in the preload library: names of glibc's own functions by which old programs, and tools of
// others, free blocks. They end where those of the C library do, not at a `free` that the program
// may have built over them. (A static program needs these names to reach the allocator beneath:
// next_malloc.cpp.)
#include <cstddef>

#include "override/next_malloc.hpp"
#include "override/own_code.hpp"
#include "override/slow_paths.hpp"

#define MEMPROF_EXPORT extern "C" __attribute__((visibility("default")))

using namespace memprof::override;

MEMPROF_EXPORT void __libc_free(void* block) noexcept {
  if (in_range(block)) [[unlikely]]
    return free_slow(block);
  next_malloc.free(block);
}
MEMPROF_EXPORT void cfree(void* block) noexcept { __libc_free(block); }

MEMPROF_EXPORT MEMPROF_OWN_CODE void* __libc_realloc(void* block, std::size_t size) noexcept {
  if (in_range(block)) [[unlikely]]
    return reallocate_slow(block, size, false);
  return next_malloc.realloc(block, size);
}
