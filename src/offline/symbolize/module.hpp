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
#include "symbolize/function_names.hpp"
#include "symbolize/line_table.hpp"
#include "symbolize/memory_budget.hpp"
#include "symbolize/split_units.hpp"
#include "symbolize/symbol_table.hpp"
#include "symbolize/unwind_functions.hpp"

namespace memprof::symbolize {

/// The views live as long as the module.
///
///  - `file`: empty: not known; `line` is 0 then.
struct frame {
  function_name name;
  std::string_view file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

class module {
 public:
  /// `image` is the module, or a debug file of the same build.
  /// \param memory of all modules; outlives this.
  module(std::unique_ptr<elf_image> image, debug_files const& files, memory_budget& memory);

  /// Puts what is at the address into `frames`, innermost first; nothing, if nothing is known.
  void find(std::uint64_t address, std::vector<frame>& frames);
  /// Where the function around an address of code begins, of which find() knows nothing.
  [[nodiscard]] std::optional<std::uint64_t> function_at(std::uint64_t address);
  /// Whether reading its debug information exceeded the work budget.
  [[nodiscard]] bool nonsense() const noexcept {
    return (dwarf_ && dwarf_->nonsense()) || (alternative_ && alternative_->nonsense()) ||
           (split_ && split_->nonsense());
  }
  /// A .dwo file that was not found; empty: none. Of its functions there are only symbols.
  [[nodiscard]] std::string_view missing() const noexcept {
    return split_ ? std::string_view{split_->missing()} : std::string_view{};
  }
  /// What would take more memory than it may, and what was done about it: of these the first;
  /// empty: nothing.
  [[nodiscard]] std::string const& left_out() const noexcept { return left_out_; }

 private:
  ///  - `half`: with the functions: the unit itself or, if it is split, its other half; null: that
  ///    was not found.
  struct unit_index {
    unit_index(Dwarf* dwarf, dwarf_unit const& u, split_units::unit h, elf_image const& code)
        : half{h}, lines{dwarf, u} {
      if (half.unit != nullptr) functions.emplace(*half.file, *half.unit, code);
    }
    split_units::unit half;
    std::optional<dwarf_functions> functions;
    dwarf_lines lines;
  };

  void open_debug_information();
  /// False, and left_out() is why: there is no memory for the debug sections of this file.
  [[nodiscard]] bool affordable(elf_image const& debug);
  void leave_out(std::string what);
  void index_units();
  Dwarf* lines_of(dwarf_unit const& u);
  unit_index* unit_of(std::uint64_t address);
  symbol_table const& symbols();
  /// The functions of the unit that have code of their own, and the symbols there.
  std::vector<function_names::symbol> symbols_in(dwarf_unit const& u);

  std::unique_ptr<elf_image> image_, debug_, alternative_image_;
  dwarf_handle alternative_lines_, lines_;
  std::optional<work_budget> budget_;
  std::unique_ptr<dwarf_file> alternative_, dwarf_;
  std::optional<split_units> split_;
  std::optional<line_tables> tables_;
  debug_files const* files_;
  memory_budget* memory_;
  std::string left_out_;
  range_map units_;
  std::unordered_map<std::uint32_t, std::unique_ptr<unit_index>> indexes_;
  function_names names_{[this](dwarf_unit const& u) { return symbols_in(u); }};
  std::optional<symbol_table> symbols_;
  std::optional<unwind_functions> unwind_;
};

}  // namespace memprof::symbolize
