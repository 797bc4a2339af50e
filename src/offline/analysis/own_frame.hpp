// SPDX-License-Identifier: MIT
/// \file
/// Frames of memprof itself in the stacks of a program.
#pragma once

#include "memprof/trace/event.hpp"

namespace memprof::analysis {

/// Whether a location is code of this library in the profiled program: the replacement of malloc
/// and operator new, and what stands between a limit function and its task. No report shows such
/// frames. New traces hardly contain any; older ones do, of programs that are linked with memprof.
bool is_own_frame(trace::location const& l) noexcept;

}  // namespace memprof::analysis
