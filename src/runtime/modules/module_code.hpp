// SPDX-License-Identifier: MIT
/// \file
/// The code and constants of one loaded module, and the names behind the slots through which it
/// calls others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/base.hpp"

namespace memprof::modules {

/// A view of the module that holds a given address. Reads outside of its segments are refused.
///
/// \note Threads: the functions take no lock and allocate nothing. The module must stay loaded.
class module_code {
 public:
  /// False if no module holds `address`, or its headers are not to be found in memory.
  bool open(std::uintptr_t address) noexcept;

  /// How many bytes of code there are at `address`, to the end of its segment; 0 if there is none.
  [[nodiscard]] std::size_t code_at(std::uintptr_t address) const noexcept;

  /// Whether [address, address + size) is constant data (or code) of the module.
  [[nodiscard]] bool is_constant(std::uintptr_t address, std::size_t size) const noexcept;

  /// Whether [address, address + size) is in the module and may be read.
  [[nodiscard]] bool is_readable(std::uintptr_t address, std::size_t size) const noexcept;

  /// The name of the function whose address the loader puts into `slot`, from the relocations;
  /// empty if there is none.
  ///
  /// \note Cost: for a slot of the PLT some ns; else proportional to the relocations with names.
  [[nodiscard]] std::string_view function_behind(std::uintptr_t slot) const noexcept;

 private:
  struct segment {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    bool executable = false;
    bool writable = false;
  };
  struct relocations {
    unsigned char const* begin = nullptr;
    std::size_t count = 0;
  };
  struct relocation;

  bool open_at(std::uintptr_t start) noexcept;
  void find_tables(void const* dynamic, std::uintptr_t load_address) noexcept;
  [[nodiscard]] segment const* holding(std::uintptr_t address, std::size_t size) const noexcept;
  [[nodiscard]] std::string_view name_of(relocation const& r) const noexcept;

  base::bounded_list<segment, 16> segments_;  ///< of more the first
  std::uintptr_t load_address_ = 0;
  relocations plt_;
  relocations data_;  ///< without the relative ones
  unsigned char const* symbols_ = nullptr;
  char const* strings_ = nullptr;
  std::size_t strings_size_ = 0;
};

}  // namespace memprof::modules
