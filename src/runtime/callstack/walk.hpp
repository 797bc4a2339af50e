// SPDX-License-Identifier: MIT
/// \file
/// A walk by the tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "callstack/processor.hpp"
#include "callstack/readable_stack.hpp"
#include "callstack/rule_cache.hpp"
#include "callstack/step_rule.hpp"
#include "callstack/walk_memo.hpp"

namespace memprof::callstack {

/// As long as tables describe every step, the words that they point to are on the stack;
/// behind code without tables nothing is read unchecked.
class walk {
 public:
  /// \param guess where there are no tables, the frame pointer may be tried.
  walk(frame const& from, bool guess) noexcept;
  walk(walk const&) = delete;
  walk& operator=(walk const&) = delete;

  /// Takes frames until `into` is full, the stack ends, or all calls have taken largest_stack.
  std::size_t take(std::span<std::uintptr_t> into) noexcept;

  /// The stack has not ended: there are more frames to take.
  [[nodiscard]] bool goes_on() const noexcept { return next_ == next::caller && f_.pc != 0; }

  /// Counts the stack, when all frames were taken. Once, at the end.
  void finish() noexcept;

 private:
  /// Why a walk ends.
  enum class next : std::uint8_t { caller, outermost, lost };

  std::uintptr_t* take_checked(std::uintptr_t* out, std::uintptr_t* end) noexcept;
  void keep_followed(walk_step const* until) noexcept;
  next advance_slowly(packed_step s) noexcept;
  next follow(rare_rules::rule r) noexcept;
  [[nodiscard]] bool is_interrupted() const noexcept;
  next return_by_link(step_rule const& rule) noexcept;
  bool known_register(step_rule& rule) const noexcept;
  next leave_handler() noexcept;
  next guess() noexcept;
  bool find_out(rare_rules::rule& r) noexcept;
  modules::module_number module_at_pc() noexcept;

  frame f_;
  bool may_guess_;
  bool checked_ = false;
  next next_ = next::caller;
  std::size_t left_ = largest_stack;  ///< frames that may still be taken
  std::size_t by_fp_ = 0;
  std::size_t by_tables_ = 0;
  // The memo of the thread, or null. Of the last walk's steps the walk has passed those before
  // `seen_`. Those of this walk are from `first_kept_` on, and `kept_` is where the next one is
  // written, with or without a memo; by how many it then moves on is `one_kept_`.
  walk_memo* memo_;
  walk_step const* seen_ = &no_step;
  walk_step* first_kept_ = &scratch_;
  walk_step* kept_ = &scratch_;
  std::ptrdiff_t one_kept_ = 0;
  walk_step scratch_;
  std::uintptr_t registers_at_ = 0;  ///< those of `interrupted_`
  frame interrupted_;
  modules::code_owner module_;
  readable_stack stack_;
};

}  // namespace memprof::callstack
