// SPDX-License-Identifier: MIT
// Blocks from malloc, sampled and not, go through every function by which the allocator beneath
// frees, resizes or measures blocks; those from the allocator's own functions still do, too.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>

#include "memprof/memprof.hpp"

#include "programs/check.hpp"

// Weak, as programs that may be built with any allocator declare them: folly, grpc.
extern "C" {
[[gnu::weak]] void dallocx(void*, int);
[[gnu::weak]] void sdallocx(void*, std::size_t, int);
[[gnu::weak]] std::size_t sallocx(void const*, int);
[[gnu::weak]] void* mallocx(std::size_t, int);
[[gnu::weak]] void* rallocx(void*, std::size_t, int);
[[gnu::weak]] std::size_t xallocx(void*, std::size_t, std::size_t, int);
[[gnu::weak]] void tc_free(void*);
[[gnu::weak]] void tc_free_sized(void*, std::size_t);
[[gnu::weak]] void tc_delete_sized(void*, std::size_t);
[[gnu::weak]] void* tc_malloc(std::size_t);
[[gnu::weak]] void* tc_realloc(void*, std::size_t);
[[gnu::weak]] std::size_t tc_malloc_size(void*);
[[gnu::weak]] void mi_free(void*);
[[gnu::weak]] void mi_free_size(void*, std::size_t);
[[gnu::weak]] void mi_free_size_aligned(void*, std::size_t, std::size_t);
[[gnu::weak]] void* mi_malloc(std::size_t);
[[gnu::weak]] void* mi_realloc(void*, std::size_t);
[[gnu::weak]] std::size_t mi_usable_size(void const*);
}

namespace {

constexpr std::size_t size = 100;

void* filled(void* block) {
  CHECK(block != nullptr);
  std::memset(block, 'x', size);
  asm volatile("" : "+r"(block) : : "memory");
  return block;
}

/// Each block from malloc and, where there is one, from the allocator's own function.
template <class Use>
void with_blocks(void* (*own)(std::size_t), Use use) {
  for (int i = 0; i < 1000; ++i) {
    use(filled(std::malloc(size)));
    if (own != nullptr) use(filled(own(size)));
  }
}

void check_contents(void* block) {
  CHECK(std::memcmp(block, std::string(size, 'x').data(), size) == 0);
}

int jemalloc_names() {
  if (mallocx == nullptr) return 0;
  const auto own = [](std::size_t n) { return mallocx(n, 0); };
  with_blocks(own, [](void* p) { dallocx(p, 0); });
  with_blocks(own, [](void* p) { sdallocx(p, size, 0); });
  with_blocks(own, [](void* p) {
    CHECK(sallocx(p, 0) >= size);
    CHECK(xallocx(p, size, 0, 0) >= size);
    void* const grown = rallocx(p, 10'000, 0x40 | 6);  // zeroed, aligned to 64 bytes
    CHECK(grown != nullptr && reinterpret_cast<std::uintptr_t>(grown) % 64 == 0);
    check_contents(grown);
    std::free(grown);
  });
  return 1;
}

int tcmalloc_names() {
  if (tc_malloc == nullptr) return 0;
  with_blocks(tc_malloc, [](void* p) { tc_free(p); });
  with_blocks(tc_malloc, [](void* p) { tc_free_sized(p, size); });
  with_blocks(tc_malloc, [](void* p) { tc_delete_sized(p, size); });
  with_blocks(tc_malloc, [](void* p) {
    CHECK(tc_malloc_size(p) >= size);
    void* const grown = tc_realloc(p, 10'000);
    check_contents(grown);
    tc_free(grown);
  });
  return 1;
}

int mimalloc_names() {
  if (mi_malloc == nullptr) return 0;
  with_blocks(mi_malloc, [](void* p) { mi_free(p); });
  with_blocks(mi_malloc, [](void* p) { mi_free_size(p, size); });
  with_blocks(mi_malloc, [](void* p) { mi_free_size_aligned(p, size, 16); });
  with_blocks(mi_malloc, [](void* p) {
    CHECK(mi_usable_size(p) >= size);
    void* const grown = mi_realloc(p, 10'000);
    check_contents(grown);
    mi_free(grown);
  });
  return 1;
}

}  // namespace

int main() {
  for (double rate : {0.0, 1e-3, 1.0}) {
    memprof::set_process_sampling_rate(memprof::sampling_rate{rate});
    const auto before = memprof::counters().tracked_blocks;
    CHECK(jemalloc_names() + tcmalloc_names() + mimalloc_names() == 1);
    CHECK(memprof::counters().tracked_blocks <= before + 5);
  }
}
