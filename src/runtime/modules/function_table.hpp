// SPDX-License-Identifier: MIT
/// \file
/// The functions in a symbol table of a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <link.h>

#include "modules/elf_file.hpp"

namespace memprof::modules {

/// The functions in one symbol table.
class function_table {
 public:
  function_table(elf_file const& file, std::uint32_t type) noexcept
      : count_(file.read_symbols(type, symbols_, names_)) {}

  [[nodiscard]] std::size_t count() const noexcept { return count_; }

  /// Calls `visit(symbol, name)` for each function that is defined here, and for each function
  /// elsewhere that has an address here (its entry in the PLT, in position-dependent programs).
  template <class Visitor>
  void for_each(Visitor visit) const noexcept {
    auto const* symbols = reinterpret_cast<ElfW(Sym) const*>(symbols_.data());
    for (std::size_t i = 0; i < count_; ++i) {
      ElfW(Sym) const& symbol = symbols[i];
      if (symbol.st_name >= names_.size() || symbol.st_value == 0) continue;
      const unsigned type = ELF64_ST_TYPE(symbol.st_info);
      // Assembly often leaves the type out; its labels are local.
      const bool untyped = type == STT_NOTYPE && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL;
      if (type == STT_FUNC || type == STT_GNU_IFUNC || untyped) {
        visit(symbol, reinterpret_cast<char const*>(names_.data()) + symbol.st_name);
      }
    }
  }

  /// A function, and how far into it an address is. The name is valid as long as the table.
  struct place {
    char const* name = nullptr;  ///< null: none is known
    std::uintptr_t offset = 0;
  };
  /// The innermost function that holds `address` (as in the file).
  [[nodiscard]] place function_at(std::uintptr_t address) const noexcept {
    place best;
    for_each([&](ElfW(Sym) const& symbol, char const* name) noexcept {
      const std::uintptr_t offset = address - symbol.st_value;
      if (symbol.st_shndx == SHN_UNDEF || offset >= symbol.st_size) return;
      if (best.name == nullptr || offset < best.offset) best = {name, offset};
    });
    return best;
  }

 private:
  file_part symbols_;
  file_part names_;
  std::size_t count_;
};

}  // namespace memprof::modules
