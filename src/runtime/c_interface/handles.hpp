// SPDX-License-Identifier: MIT
/// \file
/// What the pointers of memprof/memprof.h point to.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

#include "memprof/coroutine.hpp"
#include "memprof/limits.hpp"
#include "memprof/memprof.h"

namespace memprof::c_interface {

/// The library's own memory: no task is charged with it.
struct handle {
  static void* operator new(std::size_t size) { return memprof::detail::allocate_uncounted(size); }
  static void operator delete(void* block) { ::operator delete(block); }
};

}  // namespace memprof::c_interface

struct memprof_token : memprof::c_interface::handle {
  explicit memprof_token(memprof::token t) noexcept : is(std::move(t)) {}
  memprof::token is;
};

struct memprof_scope : memprof::c_interface::handle {
  explicit memprof_scope(memprof::limits l) : limits(std::move(l)) {}
  memprof::limits limits;  ///< the scope's request refers to them
};

struct memprof_budget : memprof::c_interface::handle {
  explicit memprof_budget(memprof::limits l) : is(std::move(l)) {}
  memprof::budget is;
};
