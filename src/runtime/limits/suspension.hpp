// SPDX-License-Identifier: MIT
/// \file
/// A task that can pause: what its scopes need so that a thread can take them up and put them down.
///
/// Scopes form a chain on a thread's stack, and count in that thread's positions. A task that can
/// pause has a stack and scopes of its own; its outermost scope is its *base*. While it runs, its
/// chain is linked in front of its resumer's, so that everything around the resumer is charged for
/// what the task does meanwhile; while it is paused, it is in nobody's chain and is charged
/// nothing.
///
///     resumed:   this_thread_limits.innermost -> [task's ... base] -> [resumer's ... outermost]
///                                               ^ barrier: no exception from the task goes further
///     paused:    this_thread_limits.innermost -> [resumer's ... outermost]        suspension:
///     [task's ... base]
///
/// What is due to the base pauses the task, inside the allocation that found it. What is due to a
/// scope around the resumer cannot be raised through the base of a stack: it pauses the task, too,
/// and is raised out of `resume`.
#pragma once

#include <cstdint>

#include "memprof/detail/export.hpp"

#include "limits/admission.hpp"
#include "limits/scope.hpp"

namespace memprof::inline v0::detail {

/// Why a task pauses.
///
/// outer       something is due around its resumer, which resumes it again after that.
/// cancelled   it was cancelled, and has not ended within its patience.
enum class pause_cause : std::uint8_t { limit, quantum, asked, outer, cancelled };

struct suspension {
  /// Goes over to the resumer's stack, with the thread muted; returns when the task is resumed,
  /// possibly on another thread. Given by `fiber`.
  void (*switch_to_resumer)(suspension&) noexcept = nullptr;
  /// Words after which it pauses, from the next resume on, or `never`.
  std::int64_t quantum = never;
  bool cancelling = false;  ///< its interrupt is to be delivered, its base no longer pauses

  // What the latest pause was about.
  pause_cause cause{};
  std::int64_t requested = 0;  ///< words of the allocation it paused in

  // The task's scopes and counts, in the positions of the thread that last ran it.
  scope* innermost = nullptr;
  scope* base = nullptr;  ///< null before it began and after it ended
  std::int64_t position = 0;
  std::int64_t words_at_end = 0;
  double charged = 0.0;
  int mask_depth = 0;
  std::int64_t quantum_end = never;

  // The resumer's, while the task runs.
  thread_limits resumer{};
  engine::account* resumer_owner = nullptr;
  bool first = false;  ///< the resumer had no scope
  bool apart = false;  ///< not linked: the resumer is in the middle of an event
  /// Charges the task's account and the resumer's; kept for the next resume.
  engine::account* bridge = nullptr;
};

/// Links the task's scopes in front of this thread's. The thread is muted (engine::leave_stack).
/// `apart`: they are not linked to those of the resumer, which may be in the middle of a check.
MEMPROF_INTERNAL_API void link(suspension& t, bool apart) noexcept;

/// Takes them out again; what the task was charged stays charged around its resumer.
MEMPROF_INTERNAL_API void unlink(suspension& t) noexcept;

/// The task is paused: from the next resume on its interrupt is delivered. `reason`: a literal, if
/// no limit of it was hit.
MEMPROF_INTERNAL_API void begin_cancel(suspension& t, char const* reason) noexcept;

/// Words that the task has allocated, exactly. It runs on this thread, or is paused.
MEMPROF_INTERNAL_API std::int64_t words_of(suspension const& t) noexcept;

/// Called by `admit`: pauses the task that runs here if that is due and may be. On return another
/// thread may be the current one.
void pause_if_due(engine::event const& e, admission_point point) noexcept;

/// Pauses the task that runs here. False if there is none or it must not pause: masked, cancelled,
/// in a callback of the library. A delivery point once the task is resumed: throws limit_exceeded.
MEMPROF_INTERNAL_API bool pause_now();

/// For the cancelled task that runs here: a cancel that was refused is tried at the next place,
/// a few times, before the attempts are spaced.
void cancel_again_soon() noexcept;

/// Position beyond which the running task wants an event in order to pause.
std::int64_t pause_wakeup(std::int64_t position) noexcept;

/// Is `s` the base of a task, and pauses it instead of being hit?
inline bool pauses_instead(scope const& s) noexcept {
  return s.request.pausable != nullptr && !s.request.pausable->cancelling;
}

/// For `enter` and `leave`. The base of a task has come, and gone.
void begin_base(scope& s) noexcept;
void end_base(scope& s) noexcept;

/// The account that encloses the scope `s` that is being entered. A task's accounts have no parents
/// around the resumer, which may be another one next time.
engine::account* account_around(scope const& s) noexcept;

/// Blocks of this thread are from now on owned by `a` (may be null), and for a task's share by
/// whatever owned the resumer's.
void set_owner(engine::account* a) noexcept;

}  // namespace memprof::inline v0::detail
