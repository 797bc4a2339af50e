// SPDX-License-Identifier: MIT
/// \file
/// Which modules are loaded: the one at an address, and all of them.
#pragma once

#include <cstdint>
#include <dlfcn.h>
#include <link.h>

#include "modules/loaded_image.hpp"

namespace memprof::modules {

/// The module at an address. It stays loaded as long as a thread has a frame in it.
struct found_module {
  address_range range;                             ///< (of a static program: its code alone)
  std::uintptr_t bias = 0;                         ///< added to the addresses in the file
  char const* name = nullptr;                      ///< the loader's: a path; "" for the program
  unsigned char const* eh_frame_header = nullptr;  ///< the index of its unwind tables, or null

  /// Without segments if its headers are not in its first page.
  [[nodiscard]] loaded_image image() const noexcept { return loaded_image::at(range.begin, bias); }
};

/// False if no module covers `address`.
/// \note Threads: any; takes no lock (glibc's _dl_find_object), signal-safe.
inline bool find_module(std::uintptr_t address, found_module& found) noexcept {
  dl_find_object object{};
  if (_dl_find_object(reinterpret_cast<void*>(address), &object) != 0) return false;
  found = {.range = {reinterpret_cast<std::uintptr_t>(object.dlfo_map_start),
                     reinterpret_cast<std::uintptr_t>(object.dlfo_map_end)},
           .bias = object.dlfo_link_map->l_addr,
           .name = object.dlfo_link_map->l_name,
           .eh_frame_header = static_cast<unsigned char const*>(object.dlfo_eh_frame)};
  return true;
}

/// Whether there is a module that covers both. False if one of them is 0.
/// \note Threads: as find_module. (dladdr would look for the symbols, too, which takes a tenth of
///   what the preload library adds to the start of a process.)
inline bool in_one_module(std::uintptr_t one, std::uintptr_t other) noexcept {
  found_module found;
  return one != 0 && find_module(one, found) && found.range.contains(other);
}

/// The segment of a loaded module that holds `address` and can be read; empty if there is none.
/// What tables of a module point to is looked at within it: they may be damaged, or hostile.
///
/// \note Threads: any; takes no lock, signal-safe. Some 50 ns.
address_range readable_around(std::uintptr_t address) noexcept;

/// Whether [address, address + size) is in such a segment.
inline bool is_readable(std::uintptr_t address, std::size_t size) noexcept {
  const address_range around = readable_around(address);
  return around.contains(address) && size <= around.end - address;
}

/// Calls `visit(dl_phdr_info const&)` for the loaded modules, the program first, until it returns
/// false.
///
/// \note Threads: any, under the loader's lock; so never inside malloc, and in a forked child only
///   if no other thread can have held that lock when the process forked.
template <class Visitor>
void visit_modules(Visitor visit) noexcept {
  dl_iterate_phdr([](dl_phdr_info* info, std::size_t,
                     void* context) { return (*static_cast<Visitor*>(context))(*info) ? 0 : 1; },
                  &visit);
}

/// The epoch of what is known of code that can be unloaded: it moves whenever a module is. Never 0.
/// For a thread with a frame in such a module; takes the loader's lock to read its counter.
/// In a forked child each call gives another: nothing of the kind is kept there, because a lock of
/// the loader may have been taken when the process forked.
std::uint64_t unload_epoch() noexcept;

}  // namespace memprof::modules
