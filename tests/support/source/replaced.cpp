// SPDX-License-Identifier: MIT
//
// Over memprof::memprof: blocks come from operator new.
#include <new>

#include "support/allocate.hpp"

namespace memprof::test {

bool const replaced = true;

[[gnu::noinline]] void* allocate(std::size_t size) { return ::operator new(size); }

[[gnu::noinline]] void release(void* block, std::size_t size) noexcept {
  ::operator delete(block, size);
}

}  // namespace memprof::test
