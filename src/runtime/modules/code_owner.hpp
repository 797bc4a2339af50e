// SPDX-License-Identifier: MIT
/// \file
/// Whether what lies at an address is still the module that it was.
///
/// The loader counts what it unloads, but the count is read under its lock. So a module that may be
/// unloaded is known by where it lies and by its build id, which the linker makes from its
/// contents. If both are the same again, so are the tables.
#pragma once

#include <cstdint>

#include "modules/loaded_image.hpp"

namespace memprof::modules {

/// 0: none, or a module that is never unloaded.
using module_number = std::uint32_t;

/// What has code at `pc`.
struct code_owner {
  address_range range;
  module_number number = 0;
  bool permanent = false;   ///< never unloaded
  bool known_again = true;  ///< false: it has no build id, and nothing about it may be kept
};

/// False if no module covers `pc`. It must have a frame on this stack, so that it stays.
/// \note Threads: any; lock-free.
bool find_owner(std::uintptr_t pc, code_owner& owner) noexcept;

}  // namespace memprof::modules
