// SPDX-License-Identifier: MIT
//
// Over memprof::core alone: blocks come from an explicit source.
#include "memprof/sources.hpp"

#include "support/allocate.hpp"

namespace memprof::test {
namespace {
// Never destroyed: blocks may be given back by destructors of statics.
memory_resource& resource() {
  static memory_resource& the_resource = *new memory_resource;
  return the_resource;
}
// Limits may be used before anything was allocated, and must find that something feeds the sampler.
[[maybe_unused]] memory_resource const& registered_at_start = resource();
}  // namespace

bool const replaced = false;

[[gnu::noinline]] void* allocate(std::size_t size) { return resource().allocate(size); }

[[gnu::noinline]] void release(void* block, std::size_t size) noexcept {
  if (block != nullptr) resource().deallocate(block, size);
}

}  // namespace memprof::test
