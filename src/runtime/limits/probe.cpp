// SPDX-License-Identifier: MIT
#include "limits/probe.hpp"

#include <unwind.h>

#include "limits/inject_interrupt.hpp"
#include "limits/scope.hpp"

namespace memprof::inline v0::detail {
namespace {

scope& outermost() noexcept {
  scope* s = this_thread_limits.innermost;
  while (s->outer != nullptr) s = s->outer;
  return *s;
}

/// The stack from outside the library's own frames to the frame of the outermost scope. The
/// library's frames begin with the one that holds the event; under AddressSanitizer the event may
/// be elsewhere, and then they are included.
struct walk {
  probe& into;
  std::uintptr_t event;
  std::uintptr_t scope;
  std::uintptr_t previous = 0;
  bool in_task = false;
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) noexcept {
  walk& w = *static_cast<walk*>(argument);
  // The "CFA" of a context is the stack pointer in that frame: where its callee's frame begins.
  const std::uintptr_t sp = _Unwind_GetCFA(context);
  const bool left_run = w.in_task && w.previous <= w.scope && w.scope < sp;
  w.previous = sp;
  w.in_task |= sp > w.event;
  if (!w.in_task) return _URC_NO_REASON;
  if (left_run) {
    if (w.into.depth > 0) --w.into.depth;  // the frame of `run` itself
    return _URC_END_OF_STACK;
  }
  if (w.into.depth == w.into.stack.size()) return _URC_END_OF_STACK;
  w.into.stack[w.into.depth++] = reinterpret_cast<void*>(_Unwind_GetIP(context));
  return _URC_NO_REASON;
}

/// Only in tests and with the thread muted, so libgcc's walk may allocate and lock.
void capture(probe& p, engine::event const& e) noexcept {
  p.depth = 0;
  walk w{.into = p,
         .event = reinterpret_cast<std::uintptr_t>(&e),
         .scope = reinterpret_cast<std::uintptr_t>(outermost().boundary)};
  _Unwind_Backtrace(&visit, &w);
}

}  // namespace

probing::probing(probe& p) noexcept { this_thread_limits.probe = &p; }
probing::~probing() { this_thread_limits.probe = nullptr; }

bool is_limited() noexcept { return this_thread_limits.innermost != nullptr; }

void probe_event(engine::event const& e, admission_point point) noexcept {
  probe& p = *this_thread_limits.probe;
  if (point != admission_point::delivery) return;
  ++p.points;
  const std::int64_t words = e.words() + e.impossible_words();
  p.signature = (p.signature ^ static_cast<std::uint64_t>(words)) * 0x100000001b3;
  if (p.points == p.wanted) {
    scope& s = p.hit_outermost ? outermost() : *this_thread_limits.innermost;
    p.hit = true;
    p.hit_scope = &s;
    inject_interrupt(s);
  } else if (p.hit && p.delivered_at == 0) {
    // Deferred: due again at every following point, without back-off.
    for (scope* s = this_thread_limits.innermost; s != nullptr; s = s->outer) {
      if (s->attempts.injected) s->attempts.make_due();
    }
  }
}

void probe_delivery(engine::event const& e) noexcept {
  probe& p = *this_thread_limits.probe;
  if (!p.hit || p.delivered_at != 0) return;
  p.delivered_at = p.points;
  capture(p, e);
}

void probe_deferral(engine::event const& e, char const* reason, std::uintptr_t place) noexcept {
  probe& p = *this_thread_limits.probe;
  if (!p.hit || p.points != p.wanted) return;
  p.deferral = reason;
  p.deferred_by = place;
  capture(p, e);
}

void probe_return(scope const& s) noexcept {
  probe& p = *this_thread_limits.probe;
  if (p.delivered_at != 0 && p.hit_scope == &s && s.attempts.deliveries > 0) p.swallowed = true;
}

}  // namespace memprof::inline v0::detail
