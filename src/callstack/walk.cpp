// SPDX-License-Identifier: MIT
#include "callstack/walk.hpp"

#include <algorithm>

#include "callstack/procedure.hpp"
#include "callstack/signal_frame.hpp"
#include "callstack/taken.hpp"

namespace memprof::callstack {
namespace {

constinit rule_cache cache;
constinit rare_rules rare;

/// Where a saved frame pointer tells the caller's stack pointer, too.
constexpr bool frame_pointer_guess_allowed = detail::return_address_below_cfa;

constexpr std::uintptr_t most_pc = (std::uintptr_t{1} << 48) - 1;

constexpr bool aligned(std::uintptr_t address) noexcept { return address % 8 == 0; }

}  // namespace

walk::walk(frame const& from, bool guess) noexcept
    : f_(from), may_guess_(guess), memo_(begin_walk_of_thread()) {
  if (memo_ == nullptr) return;
  seen_ = memo_->begin();
  first_kept_ = kept_ = memo_->room();
  one_kept_ = 1;
}

// The three kinds of rule that nearly all code is of are followed here, in a frame that the
// compiler keeps in registers: in memory each step would wait for the one before to be stored.
std::size_t walk::take(std::span<std::uintptr_t> into) noexcept {
  std::uintptr_t* place = into.data();
  std::uintptr_t* const end = place + into.size();
  // Checked once, checked for ever: in the room that comes after the first one, too.
  if (checked_) return static_cast<std::size_t>(take_checked(place, end) - place);
  frame f = f_;
  walk_step const* seen = seen_;
  walk_step* kept = kept_;
  std::ptrdiff_t const one_kept = one_kept_;
  std::size_t by_tables = 0;
  std::size_t otherwise = 0;  // steps that are counted elsewhere, or were none
  while (place != end) {
    if (f.sp >= seen->from.sp) [[unlikely]] {
      while (seen->from.sp < f.sp) ++seen;
      if (seen->from == f) {
        std::uintptr_t* const first = place;
        std::size_t by_fp = 0;
        walk_step const* const until = follow_memo(seen, memo_->end() - 1, place, end, by_fp);
        by_tables += static_cast<std::size_t>(place - first) - by_fp;
        f = until->from;
        seen_ = seen;
        kept_ = kept;
        keep_followed(until);
        seen = seen_;
        kept = kept_;
        if (place == end) break;
        if (seen == until) ++seen;  // whose step does not hold
      }
    }
    if (f.pc - 1 >= most_pc) {  // 0, or too large
      next_ = f.pc == 0 ? next::outermost : next::lost;
      break;
    }
    *place++ = f.pc;
    kept->from = f;
    const packed_step s = cache.find(f.pc);
    const step_kind kind = s.kind();
    if (kind == step_kind::by_fp) [[likely]] {
      if (f.fp < f.sp || !aligned(f.fp)) {
        ++otherwise;
        next_ = next::lost;
        break;
      }
      kept->fp_at = f.fp;
      kept->by_fp = 1;
      f = {.pc = detail::word_at(f.fp + 8), .sp = f.fp + 16, .fp = detail::word_at(f.fp)};
      kept->fp_word = f.fp;
    } else if (kind == step_kind::save_fp) {
      ++by_tables;
      const std::uintptr_t cfa = f.sp + std::uintptr_t{8} * s.n();
      const std::uintptr_t fp_at = cfa - std::uintptr_t{8} * s.k();
      f = {.pc = detail::word_at(cfa - 8), .sp = cfa, .fp = detail::word_at(fp_at)};
      kept->fp_at = fp_at;
      kept->by_fp = 0;
      kept->fp_word = f.fp;
    } else if (kind == step_kind::by_sp) {
      ++by_tables;
      const std::uintptr_t cfa = f.sp + std::uintptr_t{8} * s.n();
      f = {.pc = detail::word_at(cfa - 8), .sp = cfa, .fp = f.fp};
      kept->fp_at = cfa - 8;  // once more what is compared anyway
      kept->by_fp = 0;
      kept->fp_word = f.pc;
    } else {
      ++otherwise;
      kept->never_holds();
      f_ = f;
      next_ = advance_slowly(s);
      if (checked_ || next_ != next::caller) {
        std::uintptr_t* const checked_from = place;
        place = take_checked(place, end);
        otherwise += static_cast<std::size_t>(place - checked_from);
        f = f_;
        kept += one_kept;
        break;
      }
      f = f_;
    }
    kept += one_kept;
  }
  f_ = f;
  seen_ = seen;
  kept_ = kept;
  const auto taken = static_cast<std::size_t>(place - into.data());
  by_fp_ += taken - by_tables - otherwise;
  by_tables_ += by_tables;
  return taken;
}

/// The steps of the last walk from seen_ to `until` are steps of this one.
[[gnu::noinline]] void walk::keep_followed(walk_step const* until) noexcept {
  walk_step* const list = memo_->begin();
  if (until + 1 == memo_->end() && kept_ - first_kept_ == seen_ - list) {
    // All the rest is as it was, and where it was: that list remains, with our steps in front. Were
    // there more behind it, they are added.
    std::copy(first_kept_, kept_, list);
    first_kept_ = list;
    kept_ = list + (until - list);
    seen_ = &no_step;
  } else {
    kept_ = std::copy(seen_, until, kept_);
    seen_ = until;
  }
}

void walk::finish() noexcept {
  if (memo_ != nullptr) {
    // Cut short: what lay beyond may be wanted again.
    if (goes_on() && seen_->from == f_) keep_followed(memo_->end() - 1);
    memo_->end_walk(first_kept_, static_cast<std::size_t>(kept_ - first_kept_));
    memo_ = nullptr;
  }
  taken_stack({.by_frame_pointer = static_cast<std::uint32_t>(by_fp_),
               .by_tables = static_cast<std::uint32_t>(by_tables_)},
              next_ == next::lost);
}

/// Behind code without tables, where no rule is followed unchecked.
[[gnu::noinline, gnu::cold]] std::uintptr_t* walk::take_checked(std::uintptr_t* place,
                                                                std::uintptr_t* end) noexcept {
  while (place != end && next_ == next::caller) {
    if (f_.pc > most_pc) {
      next_ = next::lost;
      break;
    }
    *place++ = f_.pc;
    next_ = advance_slowly(cache.find(f_.pc));
  }
  return place;
}

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

/// In the few instructions where a function's frame hangs on another register, which only a
/// signal can show: its value is where the kernel has put it.
bool walk::known_register(step_rule& rule) const noexcept {
  if (registers_at_ == 0 || f_.sp != interrupted_.sp || f_.pc != interrupted_.pc) return false;
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
  code_owner owner;
  const bool has_owner = find_owner(call, owner);
  r = {};
  if (find_procedure(call, p)) {
    if (p.signal_frame) {
      r.signal = true;
    } else {
      r.step = rule_at(p, call);
    }
  } else if (find_procedure(f_.pc, p) && p.begin == f_.pc && !p.signal_frame) {
    // Nobody has called from there: makecontext and its like lay it under a first function.
    r.step.outermost = true;
  } else {
    if (has_owner && owner.permanent) cache.store(f_.pc, {step_kind::no_code});
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
  cache.store(f_.pc, s);
  return true;
}

/// Asked for once for each run of frames in one module.
module_number walk::module_at_pc() noexcept {
  const std::uintptr_t call = f_.pc - 1;
  if (call >= module_.begin && call < module_.end) return module_.number;
  return find_owner(call, module_) ? module_.number : 0;
}

}  // namespace memprof::callstack
