// SPDX-License-Identifier: MIT
#include "callstack/capture.hpp"

#include <algorithm>

#include "memprof/callstack.hpp"

#include "callstack/loaded_module.hpp"
#include "callstack/procedure.hpp"
#include "callstack/processor.hpp"
#include "callstack/readable_stack.hpp"
#include "callstack/rule_cache.hpp"
#include "callstack/signal_frame.hpp"
#include "callstack/step_rule.hpp"
#include "callstack/taken.hpp"

namespace memprof::callstack {
namespace {

constinit rule_cache cache;
constinit rare_rules rare;

/// Where a saved frame pointer tells the caller's stack pointer, too.
constexpr bool frame_pointer_guess_allowed = detail::return_address_below_cfa;

constexpr std::uintptr_t most_pc = (std::uintptr_t{1} << 48) - 1;

/// Why a walk does not go on.
enum class next : std::uint8_t { caller, outermost, lost };

/// A walk by the tables. As long as each frame is what tables make of the one before, what they say
/// is on the stack is there; behind code without tables nothing is read unchecked.
class walk {
 public:
  walk(frame const& from, bool guess) noexcept : f_(from), may_guess_(guess) {}

  /// Takes frames until `into` is full or the stack ends.
  ///
  /// The three kinds of rule that nearly all code is of are followed here, in a frame that the
  /// compiler keeps in registers: in memory each step would wait for the one before to be stored.
  std::size_t take(std::span<std::uintptr_t> into) noexcept {
    std::uintptr_t* place = into.data();
    std::uintptr_t* const end = place + into.size();
    // Checked once, checked for ever: in the room that comes after the first one, too.
    if (checked_) return static_cast<std::size_t>(take_checked(place, end) - place);
    frame f = f_;
    std::size_t by_tables = 0;
    std::size_t otherwise = 0;  // steps that are counted elsewhere, or were none
    while (place != end) {
      if (f.pc - 1 >= most_pc) {  // 0, or too large
        next_ = f.pc == 0 ? next::outermost : next::lost;
        break;
      }
      *place++ = f.pc;
      const packed_step s = cache.find(f.pc);
      const step_kind kind = s.kind();
      if (kind == step_kind::by_fp) [[likely]] {
        if (f.fp < f.sp || !aligned(f.fp)) {
          ++otherwise;
          next_ = next::lost;
          break;
        }
        f = {.pc = detail::word_at(f.fp + 8), .sp = f.fp + 16, .fp = detail::word_at(f.fp)};
      } else if (kind == step_kind::save_fp) {
        ++by_tables;
        const std::uintptr_t cfa = f.sp + std::uintptr_t{8} * s.n();
        f = {.pc = detail::word_at(cfa - 8),
             .sp = cfa,
             .fp = detail::word_at(cfa - std::uintptr_t{8} * s.k())};
      } else if (kind == step_kind::by_sp) {
        ++by_tables;
        const std::uintptr_t cfa = f.sp + std::uintptr_t{8} * s.n();
        f = {.pc = detail::word_at(cfa - 8), .sp = cfa, .fp = f.fp};
      } else {
        ++otherwise;
        f_ = f;
        next_ = advance_slowly(s);
        if (checked_ && next_ == next::caller) {
          std::uintptr_t* const checked_from = place;
          place = take_checked(place, end);
          otherwise += static_cast<std::size_t>(place - checked_from);
        }
        f = f_;
        if (next_ != next::caller) break;
      }
    }
    f_ = f;
    const auto taken = static_cast<std::size_t>(place - into.data());
    by_fp_ += taken - by_tables - otherwise;
    by_tables_ += by_tables;
    return taken;
  }

  /// The stack has not ended: there are more frames to take.
  [[nodiscard]] bool goes_on() const noexcept { return next_ == next::caller && f_.pc != 0; }

  /// Counts the stack, when all that is wanted was taken.
  void finish() const noexcept {
    taken_stack({.by_frame_pointer = static_cast<std::uint32_t>(by_fp_),
                 .by_tables = static_cast<std::uint32_t>(by_tables_)},
                next_ == next::lost);
  }

 private:
  [[gnu::always_inline]] static bool aligned(std::uintptr_t address) noexcept {
    return address % 8 == 0;
  }

  /// Behind code without tables, where no rule is followed unchecked.
  [[gnu::noinline, gnu::cold]] std::uintptr_t* take_checked(std::uintptr_t* place,
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

  [[gnu::noinline]] next advance_slowly(packed_step s) noexcept {
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

  next follow(rare_rules::rule r) noexcept {
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
  bool known_register(step_rule& rule) const noexcept {
    if (registers_at_ == 0 || f_.sp != interrupted_.sp || f_.pc != interrupted_.pc) return false;
    const std::uintptr_t value =
        detail::word_at(place_of_register(registers_at_, rule.cfa_register));
    const auto offset = static_cast<std::intptr_t>(detail::plus(value, rule.cfa_offset) - f_.sp);
    if (offset != static_cast<std::int32_t>(offset)) return false;
    rule.cfa = cfa_from::sp;
    rule.cfa_offset = static_cast<std::int32_t>(offset);
    return true;
  }

  next leave_handler() noexcept {
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
  [[gnu::noinline, gnu::cold]] next guess() noexcept {
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
  [[gnu::noinline, gnu::cold]] bool find_out(rare_rules::rule& r) noexcept {
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
  module_number module_at_pc() noexcept {
    const std::uintptr_t call = f_.pc - 1;
    if (call >= module_.begin && call < module_.end) return module_.number;
    return find_owner(call, module_) ? module_.number : 0;
  }

  frame f_;
  bool may_guess_;
  bool checked_ = false;
  next next_ = next::caller;
  std::size_t by_fp_ = 0;
  std::size_t by_tables_ = 0;
  std::uintptr_t registers_at_ = 0;  ///< those of `interrupted_`
  frame interrupted_;
  code_owner module_;
  readable_stack stack_;
};

/// The caller of the function whose frame address is `from`, step by step from here: for processors
/// where the stack pointer does not follow from the frame address.
[[gnu::noinline, maybe_unused]] bool caller_of(std::uintptr_t from, frame& f) noexcept {
  constexpr int most_of_ours = 64;
  f = frame_here();
  for (int i = 0; i < most_of_ours; ++i) {
    procedure p;
    std::uintptr_t cfa = 0;
    if (!find_procedure(f.pc - 1, p) || !step(rule_at(p, f.pc - 1), f, cfa)) return false;
    if (cfa > from) return true;
  }
  return false;
}

/// The chain of saved frame pointers, whatever the code.
class chain {
 public:
  explicit chain(frame const& from) noexcept
      : f_(from), next_(from.pc != 0 ? next::caller : next::outermost), stack_{from.sp} {}

  std::size_t take(std::span<std::uintptr_t> into) noexcept {
    std::size_t count = 0;
    while (count < into.size() && next_ == next::caller) {
      into[count++] = f_.pc;
      next_ = advance();
    }
    frames_ += count;
    return count;
  }
  [[nodiscard]] bool goes_on() const noexcept { return next_ == next::caller; }
  void finish() const noexcept {
    taken_stack({.by_frame_pointer = static_cast<std::uint32_t>(frames_), .by_tables = 0},
                next_ == next::lost);
  }

 private:
  next advance() noexcept {
    std::uintptr_t above;
    std::uintptr_t pc;
    if (f_.fp == 0) return next::outermost;
    if (!stack_.read(f_.fp, above) || !stack_.read(f_.fp + 8, pc)) return next::lost;
    if (above != 0 && above <= f_.fp) return next::lost;
    if (pc == 0) return next::outermost;
    f_.pc = detail::without_signature(pc);
    f_.fp = above;
    return f_.pc < 4096 || f_.pc >> 48 != 0 ? next::lost : next::caller;
  }

  frame f_;
  next next_;
  std::size_t frames_ = 0;
  readable_stack stack_;
};

/// What both ways have in common: `near`, and what there is beyond it.
template <class Walker>
std::span<std::uintptr_t> take(Walker walker, std::span<std::uintptr_t> near, std::size_t most,
                               far_room far) noexcept {
  std::span<std::uintptr_t> taken = near.first(walker.take(near));
  if (taken.size() == near.size() && most > near.size() && walker.goes_on()) {
    const std::span<std::uintptr_t> room = far.get(far.context);
    if (room.size() > near.size()) {
      std::ranges::copy(taken, room.begin());
      const std::size_t more = std::min(most, room.size()) - taken.size();
      taken = room.first(taken.size() + walker.take(room.subspan(taken.size(), more)));
    }
  }
  walker.finish();
  return taken;
}

}  // namespace

[[gnu::noinline]] std::span<std::uintptr_t> capture(std::span<std::uintptr_t> near,
                                                    std::size_t most, void const* frame,
                                                    far_room far) noexcept {
  most = std::min(most, largest_stack);
  near = near.first(std::min(near.size(), most));
  const auto from =
      reinterpret_cast<std::uintptr_t>(frame != nullptr ? frame : __builtin_frame_address(0));
  if (!can_step || near.empty()) return {};
  const callstack_method method = get_callstack_method();
  const callstack::frame first{.pc = detail::without_signature(detail::word_at(from + 8)),
                               .sp = from + 16,
                               .fp = detail::word_at(from)};
  if (method == callstack_method::frame_pointers) return take(chain{first}, near, most, far);
  callstack::frame start = first;
  if constexpr (!detail::return_address_below_cfa) {
    if (!caller_of(from, start)) return take(chain{first}, near, most, far);
  }
  return take(walk{start, method == callstack_method::automatic}, near, most, far);
}

}  // namespace memprof::callstack
