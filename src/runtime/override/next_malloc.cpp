// SPDX-License-Identifier: MIT
#include "override/next_malloc.hpp"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>

#include "base/base.hpp"
#include "modules/modules.hpp"
#include "override/good_size.hpp"
#include "override/own_code.hpp"
#include "override/replaced_operators.hpp"
#include "override/slow_paths.hpp"

// glibc's own names of its functions. In a static program there is no next malloc, but these, if
// its archive's malloc was linked, too: memprof::static in cmake/targets.cmake. (The shared library
// has some of them as well.)
extern "C" {
[[gnu::weak]] void* __libc_malloc(std::size_t size) noexcept;
[[gnu::weak]] void* __libc_calloc(std::size_t count, std::size_t size) noexcept;
[[gnu::weak]] void* __libc_realloc(void* block, std::size_t size) noexcept;
[[gnu::weak]] void __libc_free(void* block) noexcept;
[[gnu::weak]] void* __libc_memalign(std::size_t alignment, std::size_t size) noexcept;
[[gnu::weak]] int __posix_memalign(void** result, std::size_t alignment, std::size_t size) noexcept;
[[gnu::weak]] std::size_t __malloc_usable_size(void* block) noexcept;
}

namespace memprof::override {

// dlsym may allocate (glibc does, for an error text). Such blocks are in the range of sampled
// ones, or, where there is none, in this arena. They are pages, for which free and realloc look
// from then on, as for aligned blocks.
alignas(
    bootstrap_block_size) constinit char bootstrap_arena[bootstrap_blocks][bootstrap_block_size]{};

namespace {

constinit std::atomic<std::size_t> arena_used{0};
constinit std::atomic<bool> preload_library_is_next{false};
constinit thread_local bool looking_up = false;

void* bootstrap_block(std::size_t size) noexcept {
  if (void* const block = allocate_untracked(size)) return block;
  const std::size_t n = arena_used.fetch_add(1, std::memory_order_relaxed);
  if (n >= bootstrap_blocks || size > bootstrap_block_size) {
    errno = ENOMEM;
    return nullptr;
  }
  return bootstrap_arena[n];
}

template <class Function>
Function find(char const* name, Function of_static_program) noexcept {
  if (void* const symbol = dlsym(RTLD_NEXT, name)) return reinterpret_cast<Function>(symbol);
  if (of_static_program == nullptr) {
    base::raw_message(
        "no allocator found beneath: a static program must be linked with memprof::static, or with "
        "-Wl,-u,__libc_malloc -Wl,-z,muldefs -Wl,--eh-frame-hdr");
    _exit(127);
  }
  return of_static_program;
}

/// Stores what was found, unless somebody else has stored that or something better.
template <class Function>
void replace_first(Function& stored, Function first, Function found) noexcept {
  std::atomic_ref<Function> entry{stored};
  entry.compare_exchange_strong(first, found, std::memory_order_acq_rel);
}

void install(next_malloc_functions& table, next_malloc_functions const& found) noexcept;

/// Several threads may run this at once: all store the same pointers.
void look_up() noexcept {
  looking_up = true;
  next_malloc_functions found{
      .malloc = find("malloc", &__libc_malloc),
      .calloc = find("calloc", &__libc_calloc),
      .realloc = find("realloc", &__libc_realloc),
      .free = find("free", &__libc_free),
      .posix_memalign = find("posix_memalign", &__posix_memalign),
      .aligned_alloc = find("aligned_alloc", &__libc_memalign),
      .memalign = find("memalign", &__libc_memalign),
      .malloc_usable_size = find("malloc_usable_size", &__malloc_usable_size),
      .operators = first_operators,
  };
  found.operators = operators_over(found);
  find_good_size(found);
  const bool preload_next =
      modules::in_one_module(reinterpret_cast<std::uintptr_t>(&memprof_preload_leave_out),
                             reinterpret_cast<std::uintptr_t>(found.malloc));
  preload_library_is_next.store(preload_next, std::memory_order_relaxed);
  announce_own_code(preload_next);
  install(unchecked_malloc, found);
  install(next_malloc, found);
  looking_up = false;
  if (arena_used.load(std::memory_order_relaxed) != 0) check_alignment();
}

// Each looks up and calls the real one; during the lookup it allocates from the arena.
MEMPROF_OWN_CODE void* first_malloc(std::size_t size) noexcept {
  if (looking_up) return bootstrap_block(size);
  look_up();
  return next_malloc.malloc(size);
}
MEMPROF_OWN_CODE void* first_calloc(std::size_t count, std::size_t size) noexcept {
  if (looking_up) {
    std::size_t total = 0;
    return __builtin_mul_overflow(count, size, &total) ? nullptr : bootstrap_block(total);
  }
  look_up();
  return next_malloc.calloc(count, size);
}
MEMPROF_OWN_CODE void* first_realloc(void* block, std::size_t size) noexcept {
  if (looking_up) return block == nullptr ? bootstrap_block(size) : nullptr;
  look_up();
  return next_malloc.realloc(block, size);
}
void first_free(void* block) noexcept {
  if (looking_up) return;
  look_up();
  next_malloc.free(block);
}
MEMPROF_OWN_CODE int first_posix_memalign(void** result, std::size_t alignment,
                                          std::size_t size) noexcept {
  look_up();
  return next_malloc.posix_memalign(result, alignment, size);
}
MEMPROF_OWN_CODE void* first_aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  look_up();
  return next_malloc.aligned_alloc(alignment, size);
}
MEMPROF_OWN_CODE void* first_memalign(std::size_t alignment, std::size_t size) noexcept {
  look_up();
  return next_malloc.memalign(alignment, size);
}
std::size_t first_malloc_usable_size(void* block) noexcept {
  look_up();
  return next_malloc.malloc_usable_size(block);
}

constexpr next_malloc_functions first_functions{
    .malloc = &first_malloc,
    .calloc = &first_calloc,
    .realloc = &first_realloc,
    .free = &first_free,
    .posix_memalign = &first_posix_memalign,
    .aligned_alloc = &first_aligned_alloc,
    .memalign = &first_memalign,
    .malloc_usable_size = &first_malloc_usable_size,
    .operators = first_operators,
};

void install(next_malloc_functions& table, next_malloc_functions const& found) noexcept {
  replace_first(table.malloc, &first_malloc, found.malloc);
  replace_first(table.calloc, &first_calloc, found.calloc);
  replace_first(table.realloc, &first_realloc, found.realloc);
  replace_first(table.free, &first_free, found.free);
  replace_first(table.posix_memalign, &first_posix_memalign, found.posix_memalign);
  replace_first(table.aligned_alloc, &first_aligned_alloc, found.aligned_alloc);
  replace_first(table.memalign, &first_memalign, found.memalign);
  replace_first(table.malloc_usable_size, &first_malloc_usable_size, found.malloc_usable_size);
  operator_functions& stored = table.operators;
  operator_functions const& first = first_operators;
  replace_first(stored.array_new, first.array_new, found.operators.array_new);
  replace_first(stored.nothrow_new, first.nothrow_new, found.operators.nothrow_new);
  replace_first(stored.nothrow_array_new, first.nothrow_array_new,
                found.operators.nothrow_array_new);
  replace_first(stored.delete_single, first.delete_single, found.operators.delete_single);
  replace_first(stored.delete_array, first.delete_array, found.operators.delete_array);
}

}  // namespace

constinit next_malloc_functions next_malloc = first_functions;
constinit next_malloc_functions unchecked_malloc = first_functions;
constinit std::atomic<bool> alignment_checked{false};

bool next_samples() noexcept {
  if (!looking_up && unchecked_malloc.malloc == &first_malloc) look_up();
  return preload_library_is_next.load(std::memory_order_relaxed);
}

void check_alignment() noexcept {
  if (checks_alignment()) return;
  if (unchecked_malloc.free == &first_free) look_up();  // which never replaces what comes here
  std::atomic_ref{next_malloc.free}.store(&free_aligned, std::memory_order_release);
  std::atomic_ref{next_malloc.realloc}.store(&reallocate_aligned, std::memory_order_release);
  std::atomic_ref{next_malloc.malloc_usable_size}.store(&usable_size_aligned,
                                                        std::memory_order_release);
  free_operators_by(&free_aligned);
  alignment_checked.store(true, std::memory_order_release);
}

}  // namespace memprof::override
