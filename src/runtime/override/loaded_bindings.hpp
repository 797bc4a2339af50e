// SPDX-License-Identifier: MIT
/// \file
/// Leads the calls of loaded modules from one function to another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "modules/modules.hpp"

namespace memprof::override {

struct rebinding {
  char const* name = nullptr;
  std::uintptr_t from = 0;  ///< 0: the calls stay as they are
  std::uintptr_t to = 0;
};

/// Of the modules from the loader's `first` one on: calls that lead to `from`, or that the loader
/// has not bound yet.
///
/// \note Threads: any, under the loader's lock, so never inside malloc.
inline void rebind_modules(std::span<rebinding const> functions, std::size_t first) noexcept {
  std::size_t number = 0;
  modules::visit_modules([&](dl_phdr_info const& info) noexcept {
    if (number++ < first) return true;
    modules::visit_imported_slots(
        modules::listed_module::of(info),
        [&](char const* name, modules::imported_slot const& slot) noexcept {
          for (rebinding const& r : functions) {
            if (r.from == 0 || std::strcmp(name, r.name) != 0) continue;
            if (slot.target() == r.from || slot.is_unresolved()) slot.redirect(r.to);
          }
        });
    return true;
  });
}

}  // namespace memprof::override
