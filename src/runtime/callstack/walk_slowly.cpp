// SPDX-License-Identifier: MIT
// The steps of a walk that are not of the three kinds of walk.cpp.
#include "callstack/procedure.hpp"
#include "callstack/signal_frame.hpp"
#include "callstack/walk.hpp"

namespace memprof::callstack {

constinit rule_cache known_rules;

namespace {

constinit rare_rules rare;

/// Where the saved frame pointer also determines the caller's stack pointer.
constexpr bool frame_pointer_guess_allowed = detail::return_address_below_cfa;

}  // namespace

[[gnu::noinline]] walk::next walk::advance_slowly(packed_step s) noexcept {
  rare_rules::rule r;
  switch (s.kind()) {
    case step_kind::no_code:
      return guess();
    case step_kind::signal:
      r.signal = true;
      break;
    case step_kind::by_fp:
      r.step = {.cfa_offset = 16, .fp_offset = -16, .cfa = cfa_from::fp, .fp = fp_in::at_cfa};
      break;
    case step_kind::by_sp:
    case step_kind::save_fp:
      r.step = {.cfa_offset = static_cast<std::int32_t>(8 * s.n()),
                .fp_offset = -static_cast<std::int32_t>(8 * s.k()),
                .cfa = cfa_from::sp,
                .fp = s.kind() == step_kind::by_sp ? fp_in::fp : fp_in::at_cfa};
      break;
    case step_kind::other:
      r = rare.at(s.n());
      if (r.module == 0 || r.module == module_at_pc()) break;
      [[fallthrough]];
    case step_kind::unknown:
      if (!find_out(r)) return guess();
      break;
  }
  return follow(r);
}

walk::next walk::follow(rare_rules::rule r) noexcept {
  if (r.signal) return leave_handler();
  if (r.step.outermost) return next::outermost;
  if (r.step.cfa == cfa_from::other && !known_register(r.step)) return next::lost;
  if (r.step.fp == fp_in::with_link) return return_by_link(r.step);
  std::uintptr_t cfa = 0;
  bool more;
  if (checked_) {
    more = step(r.step, f_, cfa, [this](std::uintptr_t address, std::uintptr_t& word) {
      return stack_.read(address, word);
    });
  } else {
    more = step(r.step, f_, cfa);
  }
  if (!more) return f_.pc == 0 ? next::outermost : next::lost;
  ++(r.step.cfa == cfa_from::fp ? by_fp_ : by_tables_);
  return next::caller;
}

bool walk::is_interrupted() const noexcept {
  return registers_at_ != 0 && f_.sp == interrupted_.sp && f_.pc == interrupted_.pc;
}

/// Out of a function that has no frame when it is interrupted: where it returns to, the kernel has
/// kept with the other registers.
walk::next walk::return_by_link(step_rule const& rule) noexcept {
  if (!is_interrupted() || rule.cfa != cfa_from::sp || rule.cfa_offset < 0) return next::lost;
  constexpr auto link = static_cast<std::uint8_t>(detail::number_return);
  const std::uintptr_t pc = detail::word_at(place_of_register(registers_at_, link));
  f_ = {
      .pc = detail::without_signature(pc), .sp = detail::plus(f_.sp, rule.cfa_offset), .fp = f_.fp};
  registers_at_ = 0;  // the caller may have the same stack pointer
  ++by_tables_;
  return f_.pc == 0 ? next::outermost : next::caller;
}

/// In the few instructions where a function's frame hangs on another register, which only a
/// signal can show: its value is where the kernel has put it.
bool walk::known_register(step_rule& rule) const noexcept {
  if (!is_interrupted()) return false;
  const std::uintptr_t value = detail::word_at(place_of_register(registers_at_, rule.cfa_register));
  const auto offset = static_cast<std::intptr_t>(detail::plus(value, rule.cfa_offset) - f_.sp);
  if (offset != static_cast<std::int32_t>(offset)) return false;
  rule.cfa = cfa_from::sp;
  rule.cfa_offset = static_cast<std::int32_t>(offset);
  return true;
}

walk::next walk::leave_handler() noexcept {
  registers_at_ = f_.sp;
  if (!checked_) {
    if (!interrupted_frame(f_)) return next::lost;
  } else {
    const bool there = interrupted_frame(
        f_, [this](std::uintptr_t at, std::uintptr_t& word) { return stack_.read(at, word); });
    if (!there) return next::lost;
    stack_.move_to(f_.sp);
  }
  interrupted_ = f_;
  ++by_tables_;
  return f_.pc != 1 ? next::caller : next::outermost;
}

/// Code without tables: made at run time, or written by hand. It may keep frame pointers.
[[gnu::noinline, gnu::cold]] walk::next walk::guess() noexcept {
  if (!may_guess_ || !frame_pointer_guess_allowed) return next::lost;
  if (!checked_) {
    checked_ = true;
    stack_.move_to(f_.sp);
  }
  std::uintptr_t fp;
  std::uintptr_t pc;
  if (f_.fp < f_.sp || !stack_.read(f_.fp, fp) || !stack_.read(f_.fp + 8, pc)) return next::lost;
  if (pc == 0) return next::outermost;
  if (pc < 4096 || (fp != 0 && fp <= f_.fp)) return next::lost;
  f_ = {.pc = detail::without_signature(pc), .sp = f_.fp + 16, .fp = fp};
  ++by_fp_;
  return next::caller;
}

/// Reads the tables for the code at f_.pc, and keeps what they say. False if there are none.
[[gnu::noinline, gnu::cold]] bool walk::find_out(rare_rules::rule& r) noexcept {
  const std::uintptr_t call = f_.pc - 1;  // inside the call instruction
  procedure p;
  modules::code_owner owner;
  const bool has_owner = modules::find_owner(call, owner);
  r = {};
  if (find_procedure(call, p)) {
    if (p.signal_frame) {
      r.signal = true;
    } else {
      r.step = rule_at(p, call);
    }
  } else if (returns_from_handler(f_.pc)) {
    r.signal = true;
  } else if (find_procedure(f_.pc, p) && p.begin == f_.pc && !p.signal_frame) {
    // Nobody has called from there: makecontext and its like lay it under a first function.
    r.step.outermost = true;
  } else {
    if (has_owner && owner.permanent) known_rules.store(f_.pc, {step_kind::no_code});
    return false;
  }
  if (!has_owner || !owner.known_again) return true;
  r.module = owner.number;
  packed_step s;
  if (owner.permanent) {
    s = r.signal ? packed_step{step_kind::signal} : pack(r.step);
  }
  if (s.kind() == step_kind::unknown) {
    const std::uint32_t number = rare.number_of(r);
    if (number == 0) return true;
    s = {step_kind::other, number};
  }
  known_rules.store(f_.pc, s);
  return true;
}

/// Asked for once for each run of frames in one module.
modules::module_number walk::module_at_pc() noexcept {
  const std::uintptr_t call = f_.pc - 1;
  if (module_.range.contains(call)) return module_.number;
  return modules::find_owner(call, module_) ? module_.number : 0;
}

}  // namespace memprof::callstack
