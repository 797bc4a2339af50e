// SPDX-License-Identifier: MIT
// The least that a replacement can be: each function a jump to the next one. Compiled as the
// library's fast paths are; what an interposed malloc costs if it does nothing at all.
#include <cstddef>
#include <new>

#include "module.hpp"

#define MEMPROF_EXPORT __attribute__((visibility("default")))

namespace {

using namespace pairs;

struct next_functions {
  void* (*malloc)(std::size_t) noexcept;
  void (*free)(void*) noexcept;
};
constinit next_functions next{};

char const* start(settings const&) { return nullptr; }
void stop() {}
void run(void (*task)(void*), void* context) { task(context); }
counts look() { return {}; }

constexpr module_controls controls{.start = &start, .stop = &stop, .run = &run, .look = &look};

}  // namespace

extern "C" MEMPROF_EXPORT void* malloc(std::size_t size) noexcept { return next.malloc(size); }
extern "C" MEMPROF_EXPORT void free(void* block) noexcept { next.free(block); }
// Without a look at what malloc returned: the reference has no memory to run out of.
MEMPROF_EXPORT void* operator new(std::size_t size) { return next.malloc(size); }
MEMPROF_EXPORT void operator delete(void* block) noexcept { next.free(block); }
MEMPROF_EXPORT void operator delete(void* block, std::size_t) noexcept { next.free(block); }

extern "C" MEMPROF_EXPORT module_controls const* memprof_pairs_module(
    allocator_functions const& beneath, allocator_functions const& /*own*/) {
  // The two tables differ in noexcept alone, without which the functions could not end in a jump.
  next.malloc = reinterpret_cast<void* (*)(std::size_t) noexcept>(beneath.malloc);
  next.free = reinterpret_cast<void (*)(void*) noexcept>(beneath.free);
  return &controls;
}
