// SPDX-License-Identifier: MIT
/// \file
/// Many addresses of code in words: which segment of which module, and in which function.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "memprof/detail/export.hpp"

namespace memprof::modules {

/// The module of an address, and of it the executable segment, as /proc/self/maps has them.
struct code_segment {
  std::string path;          ///< of the module's file
  std::string build_id;      ///< in hexadecimal, whole; empty if it has none
  std::uintptr_t begin = 0;  ///< of the segment, whole pages
  std::uintptr_t end = 0;
  std::uint64_t file_offset = 0;  ///< of `begin`
  std::uintptr_t bias = 0;        ///< what the loader added to addresses in the file
  bool operator==(code_segment const&) const = default;
};

///  - `segment`: index in `code_places::segments`; `nowhere` if no module covers the address.
///  - `function`: demangled; empty if the module's file does not say.
struct code_place {
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
  std::uint32_t segment = nowhere;
  std::string function;
};

struct code_places {
  std::vector<code_segment> segments;  ///< the program's first
  std::vector<code_place> places;      ///< one for each address, in their order
};

/// Where these addresses are (for return addresses: minus one).
///
/// \param with_names whether to read the symbol tables of the modules' files, once for each module:
///   0.1 us for each symbol.
/// \note Threads: any; allocates, so never inside malloc. Takes no lock of the loader: a module
///   that is unloaded meanwhile must have a frame on a stack.
MEMPROF_INTERNAL_API code_places find_code_places(std::vector<std::uintptr_t> const& addresses,
                                                  bool with_names);

}  // namespace memprof::modules
