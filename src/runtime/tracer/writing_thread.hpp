// SPDX-License-Identifier: MIT
/// \file
/// The thread that encodes and writes.
#pragma once

#include "tracer/session.hpp"

namespace memprof::tracer {

/// Starts the thread of `the_session`, which is `starting`. 0 or an errno. Muted callers only.
int create_writing_thread() noexcept;

/// In a forked child: the thread's tables may be half changed.
void forget_writing_thread() noexcept;

}  // namespace memprof::tracer
