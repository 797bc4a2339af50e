// SPDX-License-Identifier: MIT
/// \file
/// Executes the call frame instructions of a procedure up to the row of one pc. `step_rule` turns
/// that row into a rule.
///
/// \see DWARF 5, section 6.4; the GNU and AArch64 extensions that compilers write.
#pragma once

#include <cstdint>

#include "base/base.hpp"
#include "callstack/procedure.hpp"
#include "callstack/step_rule.hpp"
#include "callstack/table_reader.hpp"

namespace memprof::callstack {

/// Where the caller's value of a register is.
enum class register_rule : std::uint8_t { same, at_cfa, at_fp, undefined, other };

/// A row of the table that the instructions describe: of the registers, those that a step needs.
struct cfi_row {
  std::int64_t cfa_offset = 0;
  std::int64_t fp_offset = 0;
  std::int64_t return_offset = 0;
  cfa_from cfa = cfa_from::nothing;
  std::uint8_t cfa_register = 0;
  register_rule fp = register_rule::same;
  register_rule return_address = register_rule::same;
};

class cfi_interpreter {
 public:
  /// \param p must outlive the interpreter.
  cfi_interpreter(procedure const& p, std::uintptr_t pc) noexcept : p_(p), pc_(pc), at_(p.begin) {}

  /// False if something is not understood.
  bool run(unsigned char const* begin, unsigned char const* end) noexcept;

  /// The row that `restore` returns to: that of the CIE's instructions.
  void keep_as_initial() noexcept { initial_ = row_; }
  [[nodiscard]] cfi_row const& result() const noexcept { return row_; }

 private:
  bool execute(table_reader& r) noexcept;
  bool extended(unsigned char opcode, table_reader& r) noexcept;
  bool advance(std::uint64_t delta) noexcept;
  [[nodiscard]] std::int64_t factored(std::uint64_t offset) const noexcept;
  void define_cfa(std::uint64_t number, std::int64_t offset) noexcept;
  void save(std::uint64_t number, register_rule how, std::int64_t offset) noexcept;
  void restore(std::uint64_t number) noexcept;
  bool cfa_expression(table_reader& r) noexcept;
  bool plt_expression(table_reader e, std::uint64_t length) noexcept;
  bool expression(table_reader& r) noexcept;

  procedure const& p_;
  std::uintptr_t pc_;
  std::uintptr_t at_;
  cfi_row row_{};
  cfi_row initial_{};
  base::bounded_list<cfi_row, 8> remembered_;
};

}  // namespace memprof::callstack
