// SPDX-License-Identifier: MIT
// The replacement of the malloc family. On the fast path an allocation adds a thread-local
// subtraction and a branch to the call it must make anyway; a free adds a test of the address.
#include <cerrno>
#include <cstddef>

#include "override/next_malloc.hpp"
#include "override/own_code.hpp"
#include "override/slow_paths.hpp"

using namespace memprof::override;

#define MEMPROF_EXPORT extern "C" __attribute__((visibility("default")))
#define MEMPROF_ALLOCATES MEMPROF_EXPORT MEMPROF_OWN_CODE

// Linked by name into every program that links memprof::memprof, and with it these whole files.
extern "C" int const memprof_override_anchor_new;
extern "C" int const memprof_override_anchor_dlopen;
extern "C" int const memprof_override_anchor_reports;
MEMPROF_EXPORT int const* const memprof_override_anchor[];
int const* const memprof_override_anchor[] = {&memprof_override_anchor_new,
                                              &memprof_override_anchor_dlopen,
                                              &memprof_override_anchor_reports};

namespace {

constexpr std::size_t page_alignment = 4096;  // of valloc and pvalloc

// Not std::has_single_bit: for processors without popcnt that is a call into libgcc_s.
constexpr bool is_power_of_two(std::size_t n) noexcept { return n != 0 && (n & (n - 1)) == 0; }

// Out of line, so that the fast paths need no stack frame and end in a jump. As they jump here,
// the frame here is the one that the program's call made: stacks begin at that call. (Unoptimised,
// the fast paths call. Their frames are left out: see own_code.hpp.)
[[gnu::cold, gnu::noinline]] MEMPROF_OWN_CODE void* malloc_slow(std::size_t size) noexcept {
  return allocate_slow({.size = size, .frame = __builtin_frame_address(0)});
}
[[gnu::cold, gnu::noinline]] MEMPROF_OWN_CODE void* calloc_slow(std::size_t size) noexcept {
  return allocate_slow({.size = size, .zeroed = true, .frame = __builtin_frame_address(0)});
}
[[gnu::cold, gnu::noinline]] MEMPROF_OWN_CODE void* aligned_slow(std::size_t alignment,
                                                                 std::size_t size) noexcept {
  return allocate_slow({.size = size, .alignment = alignment, .frame = __builtin_frame_address(0)});
}
[[gnu::cold, gnu::noinline]] MEMPROF_OWN_CODE int posix_memalign_slow(void** result,
                                                                      std::size_t alignment,
                                                                      std::size_t size) noexcept {
  void* const block =
      allocate_slow({.size = size, .alignment = alignment, .frame = __builtin_frame_address(0)});
  if (block == nullptr) return ENOMEM;  // errno says so, too, as glibc's does
  *result = block;
  return 0;
}

[[gnu::cold, gnu::noinline]] MEMPROF_OWN_CODE void free_sized_slow(void* block,
                                                                   std::size_t size) noexcept {
  release_slow(block, {.size = size, .caller = "free_sized"});
}

}  // namespace

MEMPROF_ALLOCATES void* malloc(std::size_t size) noexcept {
  if (count(size)) [[unlikely]]
    return malloc_slow(size);
  return next_malloc.malloc(size);
}

MEMPROF_EXPORT void free(void* block) noexcept {
  if (in_range(block)) [[unlikely]]
    return free_slow(block);
  next_malloc.free(block);
}

// C23. Declared by no header here: older C libraries have neither.
MEMPROF_EXPORT void free_sized(void* block, std::size_t size) noexcept {
  if (in_range(block)) [[unlikely]]
    return free_sized_slow(block, size);
  next_malloc.free(block);
}

MEMPROF_EXPORT void free_aligned_sized(void* block, std::size_t /*alignment*/,
                                       std::size_t size) noexcept {
  if (in_range(block)) [[unlikely]]
    return free_sized_slow(block, size);
  next_malloc.free(block);
}

MEMPROF_ALLOCATES void* calloc(std::size_t n, std::size_t size) noexcept {
  std::size_t total = 0;
  if (__builtin_mul_overflow(n, size, &total)) {
    errno = ENOMEM;
    return nullptr;
  }
  if (count(total)) [[unlikely]]
    return calloc_slow(total);
  return next_malloc.calloc(n, size);
}

MEMPROF_ALLOCATES void* realloc(void* block, std::size_t size) noexcept {
  const bool counted_out = count(size);
  if (counted_out || in_range(block)) [[unlikely]] {
    return reallocate_slow(block, size, counted_out);
  }
  return next_malloc.realloc(block, size);
}

MEMPROF_ALLOCATES void* reallocarray(void* block, std::size_t n, std::size_t size) noexcept {
  std::size_t total = 0;
  if (__builtin_mul_overflow(n, size, &total)) {
    errno = ENOMEM;
    return nullptr;
  }
  return realloc(block, total);
}

MEMPROF_ALLOCATES int posix_memalign(void** result, std::size_t alignment,
                                     std::size_t size) noexcept {
  if (!is_power_of_two(alignment) || alignment % sizeof(void*) != 0) return EINVAL;
  if (count(size)) [[unlikely]]
    return posix_memalign_slow(result, alignment, size);
  return next_malloc.posix_memalign(result, alignment, size);
}

MEMPROF_ALLOCATES void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  if (!is_power_of_two(alignment)) return next_malloc.aligned_alloc(alignment, size);
  if (count(size)) [[unlikely]]
    return aligned_slow(alignment, size);
  return next_malloc.aligned_alloc(alignment, size);
}

MEMPROF_ALLOCATES void* memalign(std::size_t alignment, std::size_t size) noexcept {
  // glibc rounds other alignments up to a power of two: such blocks are not counted. (A count that
  // ran out needs the slow path, or the next ones would add up in it.)
  if (!is_power_of_two(alignment)) return next_malloc.memalign(alignment, size);
  if (count(size)) [[unlikely]]
    return aligned_slow(alignment, size);
  return next_malloc.memalign(alignment, size);
}

MEMPROF_ALLOCATES void* valloc(std::size_t size) noexcept {
  if (count(size)) [[unlikely]]
    return aligned_slow(page_alignment, size);
  return next_malloc.memalign(page_alignment, size);
}

MEMPROF_ALLOCATES void* pvalloc(std::size_t size) noexcept {
  std::size_t whole = 0;
  if (__builtin_add_overflow(size, page_alignment - 1, &whole)) {
    errno = ENOMEM;
    return nullptr;
  }
  whole &= ~(page_alignment - 1);
  if (count(whole)) [[unlikely]]
    return aligned_slow(page_alignment, whole);
  return next_malloc.memalign(page_alignment, whole);
}

MEMPROF_EXPORT std::size_t malloc_usable_size(void* block) noexcept {
  if (in_range(block)) [[unlikely]]
    return usable_size_slow(block);
  return next_malloc.malloc_usable_size(block);
}
