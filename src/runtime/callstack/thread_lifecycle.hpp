// SPDX-License-Identifier: MIT
/// \file
/// Resources kept for each thread whose end will be noticed.
///
/// Nothing is kept for threads whose end is not noticed: their walks are
/// slower, and counted with locked instructions.
#pragma once

namespace memprof::callstack {

/// This thread begins, and will end by `end_thread`. Once for each thread.
void begin_thread() noexcept;
/// Returns the thread's resources. Walks may still be taken.
void end_thread() noexcept;
/// A walk of this thread was left by a jump, and will not end.
void forget_walk() noexcept;

}  // namespace memprof::callstack
