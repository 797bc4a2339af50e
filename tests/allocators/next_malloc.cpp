// SPDX-License-Identifier: MIT
/// \file
/// Under LD_PRELOAD of another allocator, the memory comes from that allocator: it is asked itself.
/// Else all other tests of this folder would pass as well if memprof went past it to glibc.

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <memory>
#include <string_view>
#include <vector>

namespace {

template <class F>
F find(char const* name) {
  auto f = reinterpret_cast<F>(dlsym(RTLD_DEFAULT, name));
  if (f == nullptr) {
    std::fprintf(stderr, "the allocator has no function %s: is it loaded?\n", name);
    std::exit(1);
  }
  return f;
}

/// Bytes in use, as the allocator itself counts them. Not for mimalloc.
std::size_t bytes_in_use(std::string_view allocator) {
  std::size_t value = 0;
  if (allocator.starts_with("libjemalloc")) {
    using mallctl_type = int (*)(char const*, void*, std::size_t*, void*, std::size_t);
    auto mallctl = find<mallctl_type>("mallctl");
    std::size_t size = sizeof(std::size_t);
    std::size_t epoch = 1;
    mallctl("epoch", &epoch, &size, &epoch, size);
    mallctl("stats.allocated", &value, &size, nullptr, 0);
  } else {
    using property_type = int (*)(char const*, std::size_t*);
    find<property_type>("MallocExtension_GetNumericProperty")("generic.current_allocated_bytes",
                                                              &value);
  }
  return value;
}

}  // namespace

int main() {
  char const* name = std::getenv("MEMPROF_TEST_ALLOCATOR");
  if (name == nullptr) {
    std::fprintf(stderr, "MEMPROF_TEST_ALLOCATOR is not set\n");
    return 1;
  }
  std::string_view const allocator = name;

  // A few of them may be sampled, and lie elsewhere then.
  constexpr std::size_t n_blocks = 1000;
  constexpr std::size_t block_size = 20'000;
  bool const can_tell_a_block = allocator.starts_with("libmimalloc");
  std::size_t const before = can_tell_a_block ? 0 : bytes_in_use(allocator);
  std::vector<std::unique_ptr<char[]>> blocks;
  for (std::size_t i = 0; i < n_blocks; ++i) blocks.push_back(std::make_unique<char[]>(block_size));

  std::size_t from_allocator = 0;
  if (can_tell_a_block) {
    auto is_its_own = find<bool (*)(void const*)>("mi_is_in_heap_region");
    for (auto const& block : blocks) from_allocator += is_its_own(block.get()) ? 1 : 0;
  } else {
    from_allocator = (bytes_in_use(allocator) - before) / block_size;
  }

  std::printf("%zu of %zu blocks came from %s\n", from_allocator, n_blocks, name);
  return from_allocator >= n_blocks / 2 ? 0 : 1;
}
