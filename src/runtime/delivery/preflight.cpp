// SPDX-License-Identifier: MIT
#include <cstdint>

#include "callstack/callstack.hpp"
#include "delivery/decide/delivery_overrides.hpp"
#include "delivery/decide/frame_verdict.hpp"
#include "delivery/decide/pc_cache.hpp"
#include "delivery/delivery.hpp"
#include "modules/modules.hpp"

namespace memprof::delivery {
namespace {

constinit pc_cache cache;

/// The epoch of unloadable code, asked for once in a walk: what has a frame on this stack stays
/// loaded until the walk is over.
class epoch_of_walk {
 public:
  std::uint64_t operator()() noexcept {
    if (value_ == 0) value_ = modules::unload_epoch();
    return value_;
  }

 private:
  std::uint64_t value_ = 0;
};

/// Reads tables and code for the frame that is returned to at `pc`, and keeps what they say.
[[gnu::noinline, gnu::cold]] pc_facts find_out(std::uintptr_t pc, epoch_of_walk& epoch) noexcept {
  const std::uintptr_t call = pc - 1;  // inside the call instruction
  callstack::procedure p;
  if (!callstack::find_procedure(call, p)) {
    if (!callstack::returns_from_handler(pc)) return {};
    return pc_facts{callstack::step_rule{}, frame_verdict::signal_frame};
  }
  bool permanent = false;
  const frame_verdict verdict = verdict_in_frame(p, call, permanent);
  const pc_facts facts{callstack::rule_at(p, call), verdict};
  if (!is_passing(verdict)) cache.store(pc, permanent ? 0 : epoch(), facts);
  return facts;
}

bool is_library_handler(frame_verdict v) noexcept {
  return v == frame_verdict::library_swallow || v == frame_verdict::library_pass;
}

bool is_handler(frame_verdict v) noexcept {
  return v == frame_verdict::swallow || v == frame_verdict::library_swallow ||
         v == frame_verdict::translate;
}

/// What is known of that frame. Inlined, as is all it calls: the facts stay in registers.
inline pc_facts look_up(std::uintptr_t pc, epoch_of_walk& epoch) noexcept {
  pc_facts facts;
  return cache.find(pc, epoch, facts) ? facts : find_out(pc, epoch);
}

/// May the interrupt be raised into or through this frame?
bool accepts(frame_verdict v, std::uintptr_t pc, attempt const& a) noexcept {
  const delivery_through overridden = override_at(pc);
  if (overridden == delivery_through::never) return false;
  if (v == frame_verdict::pass) return true;
  if (v == frame_verdict::c_frame) return overridden == delivery_through::despite_c_linkage;
  if (v == frame_verdict::library_pass) return a.through_library_handlers;
  if (!is_handler(v)) return false;
  if (is_in_limit_function(pc)) return true;
  if (overridden == delivery_through::despite_handlers) return true;
  if (overridden == delivery_through::not_into_handlers) return false;
  return a.into_handlers && (v != frame_verdict::library_swallow || a.through_library_handlers);
}

decision refuse(frame_verdict v, std::uintptr_t pc, std::uint32_t frames) noexcept {
  // A frame that passes by its tables was refused by an override.
  char const* const reason =
      v == frame_verdict::pass ? "in code excepted by set_delivery_through" : describe(v);
  return {.reason = reason,
          .place = pc - 1,
          .frames = frames,
          .library_handler = is_library_handler(v)};
}

/// Go's code has no tables.
bool is_of_another_language(frame_verdict v) noexcept {
  return v == frame_verdict::c_frame || v == frame_verdict::other_language ||
         v == frame_verdict::no_tables;
}

/// Whether an exception may be under way beyond a frame, when malloc has returned null further in.
enum class after_null : std::uint8_t { none, thrown, blocked };

after_null go_on(frame_verdict v, after_null before) noexcept {
  using enum frame_verdict;
  const bool thrown = before == after_null::thrown;
  switch (v) {
    case pass:
    case library_pass:
    case translate:
      return after_null::thrown;
    case swallow:
    case library_swallow:
      return after_null::none;
    case c_frame:
    case other_language:
    case signal_frame:
      return thrown ? after_null::blocked : after_null::none;
    case terminate:
    case known_unsafe:
    case unknown:
    case tls_initialiser:
      return thrown ? after_null::blocked : after_null::thrown;
    case terminate_all:
    case no_tables:
    case not_ready:
    case no_memory:
      break;
  }
  return after_null::blocked;
}

}  // namespace

void forget_code() noexcept { cache.clear(); }

[[gnu::noinline]] decision preflight(attempt const& a) noexcept {
  if constexpr (!callstack::can_step) return {.reason = "on a processor whose code is not read"};
  callstack::frame f = callstack::frame_here();
  const auto boundary = reinterpret_cast<std::uintptr_t>(a.boundary);
  const auto origin = reinterpret_cast<std::uintptr_t>(a.origin);
  const auto caller =
      callstack::detail::without_signature(reinterpret_cast<std::uintptr_t>(a.caller));
  epoch_of_walk epoch;
  // The frames up to the one that raises it are not in its way, and that one is at another place
  // then. Frame 0 is this one.
  bool judging = false;
  for (std::uint32_t frames = 0;; ++frames) {
    const std::uintptr_t pc = f.pc;
    const std::uintptr_t sp = f.sp;
    const pc_facts facts = look_up(pc, epoch);
    const callstack::step_rule rule = facts.step();
    if (!rule.understood() && facts.verdict() == frame_verdict::pass) {
      return refuse(frame_verdict::unknown, pc, frames);
    }
    std::uintptr_t cfa = sp;
    const bool has_caller = callstack::step(rule, f, cfa);
    if (judging && boundary >= sp && boundary < cfa) {
      if (caller != 0 && has_caller && f.pc != caller) {
        return {.reason = "in a limit function that was left by longjmp",
                .frames = frames,
                .abandoned = true};
      }
      // The handler of the limit function. If it is none at this place, what ran there was inlined
      // into it, and has the say.
      if (is_handler(facts.verdict())) return {.frames = frames};
      return refuse(
          facts.verdict() == frame_verdict::pass ? frame_verdict::unknown : facts.verdict(), pc,
          frames);
    }
    if (judging && !accepts(facts.verdict(), pc, a)) return refuse(facts.verdict(), pc, frames);
    if (!judging) judging = origin == 0 ? frames == 1 : cfa > origin;
    if (!has_caller) {
      return {.reason = "where the limit function is not on the stack", .frames = frames};
    }
  }
}

[[gnu::noinline]] decision preflight_of_null(attempt const& a) noexcept {
  if constexpr (!callstack::can_step) return {};
  callstack::frame f = callstack::frame_here();
  const auto boundary = reinterpret_cast<std::uintptr_t>(a.boundary);
  const auto origin = reinterpret_cast<std::uintptr_t>(a.origin);
  epoch_of_walk epoch;
  after_null state = after_null::none;
  bool judging = false;
  for (std::uint32_t frames = 0;; ++frames) {
    const std::uintptr_t pc = f.pc;
    const std::uintptr_t sp = f.sp;
    const pc_facts facts = look_up(pc, epoch);
    const callstack::step_rule rule = facts.step();
    std::uintptr_t cfa = sp;
    const bool has_caller = callstack::step(rule, f, cfa);
    if (judging) {
      if (boundary >= sp && boundary < cfa) return {.frames = frames};
      if (!is_in_limit_function(pc)) state = go_on(facts.verdict(), state);
      if (state == after_null::blocked) {
        const frame_verdict v = facts.verdict();
        if (a.in_other_language && is_of_another_language(v)) return {.frames = frames};
        return refuse(v, pc, frames);
      }
    } else {
      judging = cfa > origin;
    }
    if (has_caller) continue;
    // The foot of a task's stack, whose limit is further out, or code that is not understood.
    if (rule.understood() || a.in_other_language) return {.frames = frames};
    return refuse(frame_verdict::unknown, pc, frames);
  }
}

}  // namespace memprof::delivery
