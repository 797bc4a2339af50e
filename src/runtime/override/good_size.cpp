// SPDX-License-Identifier: MIT
#include "override/good_size.hpp"

#include <algorithm>
#include <atomic>
#include <dlfcn.h>

namespace memprof::override {
namespace {

// jemalloc and tcmalloc have the first, mimalloc the second.
using nallocx_function = std::size_t (*)(std::size_t size, int flags);
using malloc_good_size_function = std::size_t (*)(std::size_t size);

// Stored before any block is tracked; threads that race store the same values.
constinit std::atomic<nallocx_function> nallocx{nullptr};
constinit std::atomic<malloc_good_size_function> malloc_good_size{nullptr};

/// Start of the loaded object that contains an address. (dladdr would look for the symbol, too,
/// which takes a tenth of what the preload library adds to the start of a process.)
void* object_of(void* address) noexcept {
  dl_find_object object{};
  return address != nullptr && _dl_find_object(address, &object) == 0 ? object.dlfo_map_start
                                                                      : nullptr;
}

template <class Function>
void find_in(void* object, char const* name, std::atomic<Function>& target) noexcept {
  void* const symbol = dlsym(RTLD_NEXT, name);
  if (object_of(symbol) == object) {
    target.store(reinterpret_cast<Function>(symbol), std::memory_order_relaxed);
  }
}

}  // namespace

void find_good_size(next_malloc_functions const& found) noexcept {
  void* const allocator = object_of(reinterpret_cast<void*>(found.malloc));
  // glibc has neither; without the lookup it need not format an error text.
  if (allocator == nullptr || allocator == object_of(dlsym(RTLD_NEXT, "gnu_get_libc_version"))) {
    return;
  }
  find_in(allocator, "nallocx", nallocx);
  find_in(allocator, "malloc_good_size", malloc_good_size);
  dlerror();  // a missing function is not the program's error
}

std::size_t good_size(std::size_t size) noexcept {
  std::size_t rounded = 0;
  if (const auto ask = nallocx.load(std::memory_order_relaxed)) {
    rounded = ask(std::max<std::size_t>(size, 1), 0);  // undefined for 0
  } else if (const auto ask_mimalloc = malloc_good_size.load(std::memory_order_relaxed)) {
    rounded = ask_mimalloc(size);
  } else {
    // A chunk is a multiple of 16 bytes, at least 32, and its own size takes 8 of them.
    rounded = std::max<std::size_t>(24, (size + 8 + 15) / 16 * 16 - 8);
  }
  return std::max(rounded, size);
}

}  // namespace memprof::override
