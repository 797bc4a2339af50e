// SPDX-License-Identifier: MIT
/// \file
/// A task that can pause: how its scopes are linked into a thread's chain and taken out again.
///
/// Scopes form a chain on a thread's stack, and count in that thread's positions. A task that can
/// pause has a stack and scopes of its own. While it runs, its chain is linked in front of its
/// resumer's, so that every scope around the resumer is charged for what the task does. While it is
/// paused, its scopes are in no thread's chain and are charged nothing.
///
///     resumed:   innermost -> [task's ... outermost] -> [resumer's ... outermost]
///                             ^ barrier: no exception from the task goes further
///     paused:    innermost -> [resumer's ... outermost]
///                suspension: [task's ... outermost]
///
/// An interrupt that is due to the task's outermost scope pauses the task, inside the allocation
/// that found it. One that is due to a scope around the resumer cannot be raised through the foot
/// of the task's stack: it pauses the task, too, and then leaves `resume`.
#pragma once

#include <cstdint>

#include "memprof/detail/export.hpp"

#include "limits/admission.hpp"
#include "limits/scope.hpp"

namespace memprof::inline v0::detail {

/// Why a task pauses.
///
///  - `outer`: an interrupt or pause is due around its resumer, which resumes it again afterwards.
///  - `cancelled`: it was cancelled, and has not ended within its patience.
enum class pause_cause : std::uint8_t { limit, quantum, asked, outer, cancelled };

struct suspension {
  /// Switches to the resumer's stack, with the thread muted; returns when the task is resumed,
  /// possibly on another thread. Provided by `fiber`.
  void (*switch_to_resumer)(suspension&) noexcept = nullptr;
  /// Words after which it pauses, from the next resume on, or `never`.
  std::int64_t quantum = never;
  bool cancelling = false;  ///< its interrupt is to be delivered; its limits no longer pause it

  // Its stack, [low, high). Provided by `fiber`.
  std::uintptr_t stack_low = 0;
  std::uintptr_t stack_high = 0;

  // The latest pause.
  pause_cause cause{};
  std::int64_t requested = 0;  ///< words of the allocation it paused in

  // The task's scopes and counts, in the positions of the thread that last ran it.
  scope* innermost = nullptr;
  scope* outermost = nullptr;  ///< null before the task began and after it ended
  std::int64_t position = 0;
  std::int64_t words_at_end = 0;
  double charged = 0.0;
  int mask_depth = 0;
  std::int64_t quantum_end = never;

  // The resumer's, while the task runs.
  thread_limits resumer{};
  engine::account* resumer_owner = nullptr;
  engine::label_set labels = 0;          ///< the task's, while it is paused
  engine::label_set resumer_labels = 0;  ///< the resumer's, while it runs
  bool has_labels = false;               ///< it has run
  bool first = false;                    ///< the resumer had no scope
  bool apart = false;  ///< not linked to the resumer's: the resumer is in the middle of an event
  /// Charges the task's account and the resumer's; kept for the next resume.
  engine::account* bridge = nullptr;
};

/// Links the task's scopes in front of this thread's. The thread is muted (engine::leave_stack).
///
/// \param apart do not link them to the resumer's scopes: the resumer may be in the middle of a
///   check.
MEMPROF_INTERNAL_API void link(suspension& t, bool apart) noexcept;

/// Takes them out again; what the task was charged stays charged around its resumer.
MEMPROF_INTERNAL_API void unlink(suspension& t) noexcept;

/// From the next resume on the interrupt of this paused task is delivered.
///
/// \param reason a literal for the report, if none of its limits was hit.
MEMPROF_INTERNAL_API void begin_cancel(suspension& t, char const* reason) noexcept;

/// Words that the task has allocated, exactly. It runs on this thread, or is paused.
MEMPROF_INTERNAL_API std::int64_t words_of(suspension const& t) noexcept;

/// Called by `admit`: pauses the task that runs here, if a pause is due and allowed. May return on
/// another thread.
void pause_if_due(engine::event const& e, admission_point point) noexcept;

/// Pauses the task that runs here. False if there is none or it must not pause: masked, cancelled,
/// in a callback of the library. A delivery point once the task is resumed: throws limit_exceeded.
MEMPROF_INTERNAL_API bool pause_now();

/// For the cancelled task that runs here: after a refusal, tries again at the next few delivery
/// points before attempts are spaced.
void cancel_again_soon() noexcept;

/// For the task that runs here, in which an interrupt is raised. After the first, each takes up
/// some of its patience, because what is refused to it moves no position.
void count_swallowed() noexcept;

/// Position beyond which the running task needs an event in order to pause.
std::int64_t pause_wakeup(std::int64_t position) noexcept;

/// Whether `s` is the outermost scope of a task and pauses it instead of being hit.
inline bool pauses_instead(scope const& s) noexcept {
  return s.request.pausable != nullptr && !s.request.pausable->cancelling;
}

/// For `enter` and `leave`: `s` is the outermost scope of a task, which begins or ends here.
void begin_task(scope& s) noexcept;
void end_task(scope& s) noexcept;

/// The account around the scope `s`, which is entered or left. A task's accounts have no parents
/// around the resumer, because the next resumer may be another one.
engine::account* account_around(scope const& s) noexcept;

/// From now on `a` (may be null) owns the blocks of this thread; in a task together with the owner
/// of the resumer's blocks.
void set_owner(engine::account* a) noexcept;

}  // namespace memprof::inline v0::detail
