// SPDX-License-Identifier: MIT
/// \file
/// Notices that all of the program's threads have ended although `main` did not return.
///
/// If `main` ends by pthread_exit, the process ends with its last thread; but the writing thread is
/// one more. So it looks, once main's thread has ended, whether it is alone, and then ends, too.
#pragma once

namespace memprof::tracer {

/// From now on the end of main's thread is noticed. Muted callers only.
void watch_main_thread() noexcept;
/// In a forked child, whose main thread is the one that forked.
void forget_main_thread() noexcept;

/// Whether main's thread has ended, and the process has not.
bool main_thread_ended() noexcept;
/// Whether no thread is left but this one and main's, which has ended. False in doubt: without
/// /proc nobody knows. For the writing thread; some system calls.
bool only_thread_left() noexcept;

}  // namespace memprof::tracer
