// SPDX-License-Identifier: MIT
/// \file
/// Code in words: its module, and the function that the symbol tables of the module's file name.
#pragma once

#include <cstdint>
#include <string>

namespace memprof::modules {

struct code_location {
  std::string module;         ///< the path of its file; empty if no module covers the address
  std::uintptr_t offset = 0;  ///< in the module: what addr2line wants
  std::string function;       ///< demangled; empty if the file does not say, or was replaced
  std::uintptr_t function_offset = 0;  ///< from the beginning of that function
  bool of_library = false;  ///< the C or C++ library's: its module, or a function of namespace std
};

/// What is at `address` (for a return address: minus one). Reads the module's file each time.
/// \note Threads: any; allocates, so never inside malloc. Takes no lock of the loader.
code_location locate(std::uintptr_t address);

}  // namespace memprof::modules
