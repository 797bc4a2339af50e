// SPDX-License-Identifier: MIT
/// \file
/// Which code of a loaded module is C, a thread_local initialiser or library machinery: from the
/// symbol table of its file, which is not in memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "delivery/decide/symbol_names.hpp"
#include "modules/modules.hpp"

namespace memprof::delivery {

/// Code [begin, begin + size) of one kind, never `plain`.
struct code_range {
  std::uintptr_t begin = 0;
  std::uint32_t size = 0;
  code_kind kind = code_kind::plain;
  bool size_guessed = false;  ///< the symbol had none: up to the next function
};

/// Sorted by begin, disjoint. Owns pages; `release` gives them back.
struct symbol_index {
  code_range const* ranges = nullptr;
  std::uint32_t count = 0;
  bool has_symtab = false;      ///< false: only exported functions are known, so C may look plain
  std::size_t mapped_size = 0;  ///< of `ranges`, bytes
};

/// What came of reading a file.
enum class file_outcome : std::uint8_t {
  read,
  unusable,  ///< it cannot be read, or is not the one that was loaded (replaced by an update, say)
  no_memory  ///< none for what is in it, now
};

/// Reads the symbols of the module loaded from `path` into `out`, from .symtab or, in a stripped
/// file, from .dynsym.
///
/// \param path for the program: /proc/self/exe.
/// \param found_runtime called, if not null, for each function that may be the C++ runtime's or
///   libc's by name (not mangled, or in namespace std; shorter than 128; @VERSION cut off), with
///   its address in memory; from .symtab and .dynsym both, so some come twice. The name is gone
///   after the call. It must not throw.
/// \return other than `read`: `out` is empty. Never an index of a part of the symbols because
///   memory is short: what is not in it counts as harmless.
///
/// What in the file is malformed is left out; nothing is trusted. A symbol of size 0 extends to the
/// next function (in .symtab only: .dynsym does not know the next). C functions share their address
/// with no mangled name.
///
/// \note Threads: any. Takes no lock, allocates pages only, keeps errno, calls no cancellation
///   point. Not for signal handlers only because it takes long.
/// \note Cost: the section headers and symbol tables are copied, one pass and a half over them:
///   about 0.2 us for each symbol. Peak memory: the tables, and 16 bytes for each symbol.
file_outcome read_symbols(char const* path, modules::loaded_image const& image, symbol_index& out,
                          void (*found_runtime)(char const* name, std::uintptr_t address)) noexcept;

/// The kind of the code at `pc` (for a return address: minus one). Binary search; signal-safe.
code_kind kind_at(symbol_index const& index, std::uintptr_t pc) noexcept;

/// Gives the pages back and leaves `index` empty. Nobody may be reading it.
void release(symbol_index& index) noexcept;

}  // namespace memprof::delivery
