// SPDX-License-Identifier: MIT
#include "override/good_size.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "modules/modules.hpp"

// jemalloc and tcmalloc have the first, mimalloc the second. Weak, for where dlsym fails the C
// library may crash: override/own_code.hpp.
extern "C" {
[[gnu::weak]] std::size_t nallocx(std::size_t size, int flags) noexcept;
[[gnu::weak]] std::size_t malloc_good_size(std::size_t size) noexcept;
}

namespace memprof::override {
namespace {

using nallocx_function = decltype(&::nallocx);
using malloc_good_size_function = decltype(&::malloc_good_size);

// Stored before any block is tracked; threads that race store the same values.
constinit std::atomic<nallocx_function> of_nallocx{nullptr};
constinit std::atomic<malloc_good_size_function> of_malloc_good_size{nullptr};

/// Takes the function if it is of the module that has `malloc`.
template <class Function>
void take(Function function, void* (*malloc)(std::size_t), std::atomic<Function>& target) noexcept {
  if (modules::in_one_module(reinterpret_cast<std::uintptr_t>(function),
                             reinterpret_cast<std::uintptr_t>(malloc))) {
    target.store(function, std::memory_order_relaxed);
  }
}

}  // namespace

void find_good_size(next_malloc_functions const& found) noexcept {
  take(&::nallocx, found.malloc, of_nallocx);
  take(&::malloc_good_size, found.malloc, of_malloc_good_size);
}

bool next_tells_good_size() noexcept {
  return of_nallocx.load(std::memory_order_relaxed) != nullptr ||
         of_malloc_good_size.load(std::memory_order_relaxed) != nullptr;
}

std::size_t good_size(std::size_t size) noexcept {
  std::size_t rounded = 0;
  if (const auto ask = of_nallocx.load(std::memory_order_relaxed)) {
    rounded = ask(std::max<std::size_t>(size, 1), 0);  // undefined for 0
  } else if (const auto ask_mimalloc = of_malloc_good_size.load(std::memory_order_relaxed)) {
    rounded = ask_mimalloc(size);
  } else {
    // A chunk is a multiple of 16 bytes, at least 32, and its own size takes 8 of them.
    rounded = std::max<std::size_t>(24, (size + 8 + 15) / 16 * 16 - 8);
  }
  return std::max(rounded, size);
}

}  // namespace memprof::override
