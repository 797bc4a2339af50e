// SPDX-License-Identifier: MIT
/// \file
/// Recognises an overflow of a task's stack among other faults, if the user enabled that.
#pragma once

namespace memprof::fiber {

/// Call before this thread runs a task: a signal handler cannot run on the stack that is full.
/// Does nothing unless `report_stack_overflows` was called. Cost: a load.
void prepare_thread_for_overflow() noexcept;

}  // namespace memprof::fiber
