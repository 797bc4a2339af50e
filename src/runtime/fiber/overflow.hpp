// SPDX-License-Identifier: MIT
/// \file
/// Tells an overflow of a task's stack from other faults, if the user asked for that.
#pragma once

namespace memprof::fiber {

/// Before this thread runs a task: a signal handler needs another stack than the one that is full.
/// Does nothing unless `report_stack_overflows` was called. Cost: a load.
void prepare_thread_for_overflow() noexcept;

}  // namespace memprof::fiber
