// SPDX-License-Identifier: MIT
//
// For builds with memprof::core alone (sanitizers): operator new of this program as an explicit
// source. malloc stays that of the sanitizer, and so do its checks, but for "new with free".
#include <cstdlib>
#include <new>

#include "memprof/sources.hpp"

#include "sources/counted_allocation.hpp"

namespace {

void* obtain(std::size_t size) {
  void* const block = std::malloc(size == 0 ? 1 : size);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

void give_back(void* block) noexcept {
  if (block != nullptr) memprof::sources::untrack_at(block);
  std::free(block);
}

bool const registered = memprof::detail::register_permanent_source();

}  // namespace

/// CLN loses a string when it is loaded.
extern "C" char const* __lsan_default_suppressions();
extern "C" char const* __lsan_default_suppressions() { return "leak:libcln.so\n"; }

void* operator new(std::size_t size) {
  return memprof::sources::allocate(size, __builtin_frame_address(0), obtain);
}
void* operator new(std::size_t size, std::nothrow_t const&) noexcept {
  return std::malloc(size == 0 ? 1 : size);  // by std::stable_sort; not counted
}
void operator delete(void* block) noexcept { give_back(block); }
void operator delete(void* block, std::size_t) noexcept { give_back(block); }
