// SPDX-License-Identifier: MIT
/// \file
/// Running functions of the user: one call, or several in a row.
#pragma once

#include <cstdint>

#include "profile/session.hpp"

namespace memprof::profiling {

/// While one lives, this thread may run functions of a tracker, or destructors of their results.
/// Thread cancellation waits. At its end the outermost one reports the frees made inside it: so no
/// function runs inside another. The thread must be muted.
class user_call {
 public:
  user_call() noexcept;
  ~user_call();
  user_call(user_call const&) = delete;
  user_call& operator=(user_call const&) = delete;

 private:
  bool outermost_;
};

/// Whether this thread is running functions of the user.
bool in_user_call() noexcept;

/// Enters a session, and remembers that for a child forked before `leave_here`. In a call.
bool enter_here(session& s, std::uint32_t number) noexcept;
void leave_here(session& s) noexcept;

/// Keeps an entry that was freed inside a call until its end.
void postpone_free(std::uint32_t entry_index) noexcept;

/// The call that this thread was in was left by a jump: leaves its session, and ends it.
void end_call_left_by_jump() noexcept;

/// In a forked child.
void reset_calls_after_fork() noexcept;

/// The exception that is being handled has left a function of the tracker.
void record_failure(session& s) noexcept;

}  // namespace memprof::profiling
