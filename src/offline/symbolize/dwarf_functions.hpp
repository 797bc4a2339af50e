// SPDX-License-Identifier: MIT
/// \file
/// The functions of a unit and the calls inlined into them, by address.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "symbolize/dwarf_file.hpp"
#include "symbolize/dwarf_ranges.hpp"
#include "symbolize/range_map.hpp"

namespace memprof::symbolize {

/// Built in one walk over the unit's entries, without recursion.
class dwarf_functions {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  ///  - `offset`: of its entry in .debug_info.
  ///  - `low`: where its code begins.
  ///  - `outer`: what it was inlined into; none: it is a function of its own.
  struct function {
    std::uint64_t offset = 0;
    std::uint64_t low = 0;
    std::uint32_t outer = none;
    std::uint32_t call_file = 0;
    std::uint32_t call_line = 0;
    std::uint32_t call_column = 0;
  };

  dwarf_functions(dwarf_file& file, dwarf_unit& u, elf_image const& code);

  /// The innermost that covers the address; null: none.
  [[nodiscard]] function const* find(std::uint64_t address) const noexcept {
    const std::optional<std::uint32_t> index = by_address_.find(address);
    return index ? &all_[*index] : nullptr;
  }
  [[nodiscard]] function const* outer(function const& f) const noexcept {
    return f.outer == none ? nullptr : &all_[f.outer];
  }
  [[nodiscard]] std::span<function const> all() const noexcept { return all_; }

 private:
  void read(byte_reader& r, dwarf_unit const& u, std::span<dwarf_attribute const> attributes,
            bool inlined, std::uint32_t& enclosing, elf_image const& code);

  dwarf_file* file_;
  std::vector<function> all_;
  std::vector<address_range> ranges_;  // of the current entry
  range_map by_address_;
};

}  // namespace memprof::symbolize
