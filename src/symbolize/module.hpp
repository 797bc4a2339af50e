// SPDX-License-Identifier: MIT
/// \file
/// A module and all that is known of its code: its debug information, its own or separate, or else
/// its symbols.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "symbolize/debug_files.hpp"
#include "symbolize/dwarf_file.hpp"
#include "symbolize/dwarf_functions.hpp"
#include "symbolize/dwarf_lines.hpp"
#include "symbolize/dwarf_scopes.hpp"
#include "symbolize/symbol_table.hpp"

namespace memprof::symbolize {

/// The views live as long as the module.
///
/// file        empty: not known; `line` is 0 then.
struct frame {
  function_name name;
  std::string_view file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

class module {
 public:
  /// `image` is the module, or a debug file of the same build.
  module(std::unique_ptr<elf_image> image, debug_files const& files);

  /// Puts what is at the address into `frames`, innermost first; nothing, if nothing is known.
  void find(std::uint64_t address, std::vector<frame>& frames);
  /// Its debug information cost more to read than any that makes sense.
  [[nodiscard]] bool nonsense() const noexcept { return budget_ && budget_->exhausted(); }

 private:
  struct unit_index {
    unit_index(dwarf_file& file, dwarf_unit& u, elf_image const& code)
        : unit{&u}, functions{file, u, code}, lines{file, u, code} {}
    dwarf_unit* unit;
    dwarf_functions functions;
    dwarf_lines lines;
    std::unordered_map<std::uint32_t, std::string> files;  // by number; nodes stay where they are
  };

  void open_debug_information();
  void index_units();
  unit_index* unit_of(std::uint64_t address);
  symbol_table const& symbols();
  std::string_view file_name(unit_index& u, std::uint32_t number);
  /// The name of the function at this offset of .debug_info. C++ names without a linker's name get
  /// what encloses them.
  function_name const& name_at(std::uint64_t offset);

  std::unique_ptr<elf_image> image_, debug_, alternative_image_;
  std::optional<work_budget> budget_;
  std::unique_ptr<dwarf_file> alternative_, dwarf_;
  range_map units_;
  std::unordered_map<std::uint32_t, std::unique_ptr<unit_index>> indexes_;
  std::unordered_map<std::uint64_t, function_name> names_;  // by the offset of the entry
  std::unordered_map<std::uint64_t, std::string> qualified_;
  std::unordered_map<dwarf_unit const*, std::unique_ptr<dwarf_scopes>> scopes_;
  std::optional<symbol_table> symbols_;
};

}  // namespace memprof::symbolize
