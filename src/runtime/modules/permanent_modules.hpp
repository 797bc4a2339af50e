// SPDX-License-Identifier: MIT
/// \file
/// Which of the loaded modules are never unloaded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <link.h>

#include "memprof/detail/export.hpp"

#include "modules/loaded_image.hpp"

namespace memprof::modules {

/// A module as the loader lists it.
struct listed_module {
  loaded_image image;
  char const* name = nullptr;  ///< the loader's, "" for the program; it stays while loaded
  ElfW(Dyn) const* dynamic = nullptr;
  address_range range;
  bool permanent = false;

  MEMPROF_INTERNAL_API static listed_module of(dl_phdr_info const& info) noexcept;

  /// The address of an entry of the dynamic section; 0 if there is none.
  [[nodiscard]] MEMPROF_INTERNAL_API std::uintptr_t dynamic_address(ElfW(Sxword)
                                                                        tag) const noexcept;
  /// The same for an entry that is no address.
  [[nodiscard]] MEMPROF_INTERNAL_API std::size_t dynamic_value(ElfW(Sxword) tag) const noexcept;
};

/// A list of fixed length: what is beyond is not permanent, only slower.
struct module_list {
  std::array<listed_module, 1024> modules;
  std::size_t count = 0;
};

/// Lists the loaded modules, and marks as permanent the program, the module of this code, and all
/// that these need (DT_NEEDED): the loader unloads a module only with all that need it.
void list_modules(module_list& list) noexcept;

/// The permanent modules, the program first; null if there is no memory. They are listed when this
/// library is loaded, because a forked child must not wait for the loader's lock: whoever held it
/// may be gone.
module_list const* permanent_modules() noexcept;

/// The permanent module that covers `pc`; null if there is none, or they are not listed yet.
/// \note Threads: any; lock-free.
listed_module const* permanent_module_at(std::uintptr_t pc) noexcept;

}  // namespace memprof::modules
