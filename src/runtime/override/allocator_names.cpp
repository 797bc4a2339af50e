// SPDX-License-Identifier: MIT
#include "override/allocator_names.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <dlfcn.h>
#include <utility>

#include "override/good_size.hpp"
#include "override/next_malloc.hpp"
#include "override/own_code.hpp"
#include "override/slow_paths.hpp"

namespace memprof::override {
namespace {

// The most arguments that a function of a kind has: to pass on more than it takes harms nothing.
using frees = void (*)(void*, std::size_t, std::size_t) noexcept;
using measures = std::size_t (*)(void const*, std::size_t) noexcept;
using resizes = void* (*)(void*, std::size_t, std::size_t, std::size_t) noexcept;

enum class kind { free, measure, resize, resize_with_flags, resize_in_place };

struct allocator_function {
  char const* name;
  kind does;
};

constexpr std::array names{
    // jemalloc
    allocator_function{"dallocx", kind::free}, allocator_function{"sdallocx", kind::free},
    allocator_function{"sallocx", kind::measure},
    allocator_function{"rallocx", kind::resize_with_flags},
    allocator_function{"xallocx", kind::resize_in_place},
    // tcmalloc
    allocator_function{"tc_free", kind::free}, allocator_function{"tc_cfree", kind::free},
    allocator_function{"tc_free_sized", kind::free}, allocator_function{"tc_delete", kind::free},
    allocator_function{"tc_delete_nothrow", kind::free},
    allocator_function{"tc_delete_sized", kind::free},
    allocator_function{"tc_delete_aligned", kind::free},
    allocator_function{"tc_delete_sized_aligned", kind::free},
    allocator_function{"tc_delete_aligned_nothrow", kind::free},
    allocator_function{"tc_deletearray", kind::free},
    allocator_function{"tc_deletearray_nothrow", kind::free},
    allocator_function{"tc_deletearray_sized", kind::free},
    allocator_function{"tc_deletearray_aligned", kind::free},
    allocator_function{"tc_deletearray_sized_aligned", kind::free},
    allocator_function{"tc_deletearray_aligned_nothrow", kind::free},
    allocator_function{"tc_realloc", kind::resize},
    allocator_function{"tc_malloc_size", kind::measure},
    // mimalloc
    allocator_function{"mi_free", kind::free}, allocator_function{"mi_cfree", kind::free},
    allocator_function{"mi_free_size", kind::free},
    allocator_function{"mi_free_aligned", kind::free},
    allocator_function{"mi_free_size_aligned", kind::free}, allocator_function{"vfree", kind::free},
    allocator_function{"mi_realloc", kind::resize},
    allocator_function{"mi_usable_size", kind::measure},
    allocator_function{"mi_malloc_size", kind::measure},
    allocator_function{"mi_malloc_usable_size", kind::measure},
    // several
    allocator_function{"malloc_size", kind::measure}};

// Filled in before any call is led to ours.
constinit std::array<void*, names.size()> own_functions{};
constinit std::array<rebinding, names.size()> rebindings{};
constinit bool any_found = false;

template <class Function>
Function own(std::size_t place) noexcept {
  return reinterpret_cast<Function>(own_functions[place]);
}

// One for each name, which knows where to pass on what is not sampled.
template <std::size_t place>
void free_block(void* block, std::size_t a, std::size_t b) noexcept {
  if (in_range(block)) return release_slow(block, {.caller = names[place].name});
  own<frees>(place)(block, a, b);
}

template <std::size_t place>
std::size_t measure_block(void const* block, std::size_t a) noexcept {
  if (in_range(block)) return usable_size_slow(const_cast<void*>(block));
  return own<measures>(place)(block, a);
}

template <std::size_t place>
void* resize_block(void* block, std::size_t size, std::size_t a, std::size_t b) noexcept {
  if (in_range(block)) return reallocate_slow(block, size, count(size));
  return own<resizes>(place)(block, size, a, b);
}

/// jemalloc's flags: the logarithm of an alignment, and whether what is new is zero.
MEMPROF_OWN_CODE void* resize_with_flags(void* block, std::size_t size, unsigned flags) noexcept {
  const std::size_t room = usable_size_slow(block);
  const std::size_t alignment = std::size_t{1} << (flags & 0x3f);
  const request wanted{.size = size,
                       .alignment = std::max<std::size_t>(alignment, 16),
                       .zeroed = (flags & 0x40) != 0,
                       .frame = __builtin_frame_address(0)};
  void* const moved = allocate_slow(wanted);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, block, std::min(room, size));
  release_slow(block, {.caller = "rallocx"});
  return moved;
}
template <std::size_t place>
void* resize_block_with_flags(void* block, std::size_t size, std::size_t flags,
                              std::size_t b) noexcept {
  if (in_range(block)) return resize_with_flags(block, size, static_cast<unsigned>(flags));
  return own<resizes>(place)(block, size, flags, b);
}

/// A sampled block stays as it is: what there is then is what there was.
template <std::size_t place>
std::size_t resize_block_in_place(void* block, std::size_t size, std::size_t extra,
                                  std::size_t flags) noexcept {
  if (in_range(block)) return usable_size_slow(block);
  using function = std::size_t (*)(void*, std::size_t, std::size_t, std::size_t) noexcept;
  return own<function>(place)(block, size, extra, flags);
}

template <std::size_t place>
std::uintptr_t ours() noexcept {
  if constexpr (names[place].does == kind::free) {
    return reinterpret_cast<std::uintptr_t>(&free_block<place>);
  } else if constexpr (names[place].does == kind::measure) {
    return reinterpret_cast<std::uintptr_t>(&measure_block<place>);
  } else if constexpr (names[place].does == kind::resize) {
    return reinterpret_cast<std::uintptr_t>(&resize_block<place>);
  } else if constexpr (names[place].does == kind::resize_with_flags) {
    return reinterpret_cast<std::uintptr_t>(&resize_block_with_flags<place>);
  } else {
    return reinterpret_cast<std::uintptr_t>(&resize_block_in_place<place>);
  }
}

template <std::size_t place>
void find_one(std::uintptr_t of_next) noexcept {
  void* const found = dlsym(RTLD_DEFAULT, names[place].name);
  const auto address = reinterpret_cast<std::uintptr_t>(found);
  if (!modules::in_one_module(of_next, address)) return;
  own_functions[place] = found;
  rebindings[place] = {.name = names[place].name, .from = address, .to = ours<place>()};
  any_found = true;
}

// Not inside malloc, and before other threads can be in these functions.
[[gnu::constructor]] void lead_allocator_names_here() noexcept {
  next_samples();  // looks the next allocator up
  if (!next_tells_good_size()) return;
  const auto of_next = reinterpret_cast<std::uintptr_t>(unchecked_malloc.malloc);
  [of_next]<std::size_t... place>(std::index_sequence<place...>) {
    (find_one<place>(of_next), ...);
  }
  (std::make_index_sequence<names.size()>{});
  dlerror();
  if (any_found) rebind_modules(rebindings, 0);
}

}  // namespace

std::span<rebinding const> allocator_names() noexcept {
  return any_found ? std::span<rebinding const>{rebindings} : std::span<rebinding const>{};
}

}  // namespace memprof::override
