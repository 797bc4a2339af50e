// SPDX-License-Identifier: MIT
#include "memprof/detail/run.hpp"

#include <cstdint>
#include <cxxabi.h>
#include <optional>
#include <utility>

#include "memprof/limits.hpp"

#include "copies/copies.hpp"
#include "delivery/delivery.hpp"
#include "limits/abandoned_scopes.hpp"
#include "limits/check_arguments.hpp"
#include "limits/limit_totals.hpp"
#include "limits/probe.hpp"
#include "limits/reasons.hpp"
#include "limits/scope.hpp"
#include "limits/stops.hpp"

namespace memprof::inline v0::detail {
namespace {

/// Keeps a scope entered for as long as it lives.
class entered_scope {
 public:
  explicit entered_scope(scope& s) : scope_(s) { enter(s); }
  ~entered_scope() { leave(scope_); }
  entered_scope(entered_scope const&) = delete;
  entered_scope& operator=(entered_scope const&) = delete;

 private:
  scope& scope_;
};

/// Before the task: hits the scope if its token is set already or it has no time at all.
void hit_before_task(scope& s) noexcept {
  if (token_is_set(s)) {
    report_token(s);
  } else if (s.clock.limit == 0) {
    report_deadline(s);
  } else {
    return;
  }
  s.hit.happen_outside_events();
}

/// After the task: hits the scope if its token is set or its deadline has passed.
void hit_after_task(scope& s) noexcept {
  constexpr bool may_call_out = false;
  if (!is_stopped(s, may_call_out)) return;
  s.hit.happen_outside_events();
  take_reasons();
}

/// What a check has seen is an error, though it may never have been delivered. In a strict scope a
/// token or deadline that none has seen is one, too (memprof-limits' B6).
void apply_strictness(scope& s) noexcept {
  s.hit.confirm_stop();
  if (!s.hit.happened && s.request.strict) hit_after_task(s);
}

/// The exception being handled, if the limit was hit; null if it is to go on: it is the task's own
/// business then, or an exception of another language, which is not ours to keep.
std::exception_ptr exception_to_keep(scope& s) noexcept {
  apply_strictness(s);
  return s.hit.happened ? std::current_exception() : nullptr;
}

/// However the limit counts: what it counted says less the closer the task came to it.
bytes allocated_by(scope const& s) noexcept {
  return words{engine::position_now() - s.counted.start_position};
}

/// Bytes since the limit was hit.
std::int64_t overshoot_of(scope const& s) noexcept {
  return (engine::position_now() - s.hit.position) * 8;
}

/// The seed, if the limit that was hit counts samples.
std::optional<std::uint64_t> seed_of_decision(scope const& s) noexcept {
  const bool by_samples = s.hit.kind == limit_kind::memory ||
                          s.hit.kind == limit_kind::global_memory ||
                          (s.hit.kind == limit_kind::allocations && !s.exact());
  return by_samples ? std::optional{engine::process_seed()} : std::nullopt;
}

interrupted error_of(scope const& s, std::exception_ptr exception, bool started) {
  return make_interrupted({.kind = s.hit.kind,
                           .limit = s.hit.limit,
                           .measured = s.hit.measured,
                           .asked = s.hit.asked,
                           .overshoot = overshoot_of(s),
                           .deliveries = s.attempts.deliveries,
                           .deferrals = s.attempts.deferrals,
                           .refusals = s.attempts.refusals,
                           .reason = s.hit.reason,
                           .last_deferral = s.attempts.last_deferral,
                           .last_place = reinterpret_cast<void const*>(s.attempts.last_place),
                           .started = started,
                           .seed = seed_of_decision(s),
                           .why = explanation_of(s),
                           .exception = std::move(exception)});
}

void count_interrupted_task(scope const& s) noexcept {
  constexpr auto relaxed = std::memory_order_relaxed;
  shared_account* const shared = s.request.shared;
  if (shared != nullptr && shared->counted.exchange(true, relaxed)) return;
  limit_totals.interrupted_tasks[static_cast<std::size_t>(s.hit.kind)].fetch_add(1, relaxed);
}

/// Further in than the limit around it, and further out than all frames of its task. No frame is
/// there.
void const* boundary_without_function(scope const* outer) noexcept {
  const auto around =
      outer == nullptr ? std::uintptr_t{0} : reinterpret_cast<std::uintptr_t>(outer->boundary);
  return reinterpret_cast<void const*>(around - 1);
}

scope* scope_begun_by(void const* whom) noexcept {
  scope* s = this_thread_limits.innermost;
  while (s != nullptr && s->request.begun_by != whom) s = s->outer;
  return s;
}

run_report report_of(scope const& s, std::exception_ptr exception, bool started) {
  run_report report{.error = std::nullopt, .allocated = started ? allocated_by(s) : bytes{}};
  if (!s.hit.happened) return report;
  count_interrupted_task(s);
  report.error = error_of(s, std::move(exception), started);
  return report;
}

}  // namespace

interrupted interruption_so_far(scope const& s) { return error_of(s, nullptr, true); }

void check_run(scope_request const& request) {
  if (auto const* const other = copies::other()) return other->check_run(request);
  check_request(request);
  check_active(request.function);
}

// The frame that an interrupt must reach. So it is not inlined, and calls the task through a
// pointer.
[[gnu::noinline]] run_report run(scope_request const& request, task_function task, void* context) {
  if (auto const* const other = copies::other()) return other->run(request, task, context);
  check_run(request);
  delivery::enter_limit_function(reinterpret_cast<void const*>(&run));
  const scope_memory memory{request};
  scope& s = *memory;
  s.boundary = __builtin_frame_address(0);
  s.caller = __builtin_return_address(0);
  start_clock(s);
  if (!request.resumption) hit_before_task(s);
  if (s.hit.happened) return report_of(s, nullptr, false);  // the task is not run
  const entered_scope entered{s};
  std::exception_ptr exception;
  try {
    task(context);
    if (this_thread_limits.probe != nullptr) probe_return(s);
  } catch (limit_exceeded const&) {  // which is an abi::__forced_unwind, too: delivery/raise.hpp
    exception = exception_to_keep(s);
    if (exception == nullptr) throw;  // of a scope around this one
#ifdef __GLIBCXX__  // libc++ has no name for it: handled below, like exceptions of other languages
  } catch (abi::__forced_unwind&) {
    throw;  // thread cancellation and exit continue
#endif
  } catch (...) {
    exception = exception_to_keep(s);
    if (exception == nullptr) throw;
  }
  apply_strictness(s);
  return report_of(s, std::move(exception), true);
}

scope* begin_scope(scope_request const& request, run_report& report) {
  if (auto const* const other = copies::other()) return other->begin_scope(request, report);
  check_run(request);
  drop_abandoned_scopes(__builtin_frame_address(0));
  scope_memory memory{request};
  scope& s = *memory;
  s.boundary = boundary_without_function(this_thread_limits.innermost);
  start_clock(s);
  hit_before_task(s);
  if (s.hit.happened) {
    report = report_of(s, nullptr, false);
    return nullptr;
  }
  enter(s);
  return &memory.keep();
}

std::optional<run_report> end_scope(void const* begun_by) {
  if (auto const* const other = copies::other()) return other->end_scope(begun_by);
  scope* const s = scope_begun_by(begun_by);
  if (s == nullptr) return std::nullopt;
  struct unlinking {
    scope_memory memory;
    ~unlinking() {
      // Not as `leave`: interleaved tasks of one thread end in any order.
      const engine::event settle;
      unlink(*memory);
    }
  } const at_end{scope_memory(*s)};
  apply_strictness(*s);
  return report_of(*s, nullptr, true);
}

}  // namespace memprof::inline v0::detail
