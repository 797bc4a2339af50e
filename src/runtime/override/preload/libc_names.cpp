// SPDX-License-Identifier: MIT
// Only in the preload library: names of glibc's own functions by which old programs, and tools of
// others, free blocks. Blocks of ours are freed here; all others by whoever comes next under the
// same name, the C library at last, because the next allocator may itself be made of these
// functions. (A static program needs these names to reach the allocator beneath: next_malloc.cpp.)
#include <atomic>
#include <cstddef>
#include <dlfcn.h>

#include "override/aligned_blocks.hpp"
#include "override/next_malloc.hpp"
#include "override/own_code.hpp"
#include "override/slow_paths.hpp"

#define MEMPROF_EXPORT extern "C" __attribute__((visibility("default")))

using namespace memprof::override;

namespace {

/// A sampled block that begins a page, or one of the arena.
bool is_ours(void* block) noexcept {
  return begins_page(block) && (find_aligned(block) != 0 || is_bootstrap_block(block));
}

/// The next function of that name: an allocator's beneath, or the C library's; `next` if there is
/// none. Any thread; two that come first store the same.
template <class Function>
Function of_libc(std::atomic<Function>& stored, char const* name, Function next) noexcept {
  Function f = stored.load(std::memory_order_relaxed);
  if (f != nullptr) return f;
  void* const found = dlsym(RTLD_NEXT, name);
  f = found != nullptr ? reinterpret_cast<Function>(found) : next;
  stored.store(f, std::memory_order_relaxed);
  return f;
}

constinit std::atomic<void (*)(void*) noexcept> libc_free{nullptr};
constinit std::atomic<void (*)(void*) noexcept> libc_cfree{nullptr};
constinit std::atomic<void* (*)(void*, std::size_t) noexcept> libc_realloc{nullptr};

}  // namespace

MEMPROF_EXPORT void __libc_free(void* block) noexcept {
  if (in_range(block)) [[unlikely]]
    return free_slow(block);
  if (is_ours(block)) return free_aligned(block);
  of_libc(libc_free, "__libc_free", next_malloc.free)(block);
}
MEMPROF_EXPORT void cfree(void* block) noexcept {
  if (in_range(block) || is_ours(block)) return __libc_free(block);
  of_libc(libc_cfree, "cfree", &__libc_free)(block);
}

MEMPROF_EXPORT MEMPROF_OWN_CODE void* __libc_realloc(void* block, std::size_t size) noexcept {
  if (in_range(block) || is_ours(block)) [[unlikely]]
    return reallocate_slow(block, size, false);
  return of_libc(libc_realloc, "__libc_realloc", next_malloc.realloc)(block, size);
}
