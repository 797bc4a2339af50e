// SPDX-License-Identifier: MIT
/// \file
/// Resources kept for each thread whose end will be noticed.
///
/// Threads of which it is not known when they end have nothing kept for them: their walks are
/// slower, and counted with locked instructions.
#pragma once

namespace memprof::callstack {

/// This thread begins, and will end by `end_thread`. Once for each.
void begin_thread() noexcept;
/// Gives back what the thread has. Walks may still be taken.
void end_thread() noexcept;

}  // namespace memprof::callstack
