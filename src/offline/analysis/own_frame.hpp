// SPDX-License-Identifier: MIT
/// \file
/// Frames of memprof itself in the stacks of a program.
#pragma once

#include "memprof/trace/event.hpp"

namespace memprof::analysis {

/// Whether a location is code of this library in the profiled program: the replacement of malloc
/// and operator new, and what stands between a limit function and its task, inlined or not. No
/// report shows such frames. The task itself, a user's lambda, is none: its code stands in the
/// user's file.
bool is_own_frame(trace::location const& l) noexcept;

/// The same for the locations of a code, asked one after the other, outermost first. With a frame
/// of ours go the frames of std::invoke by which it calls what it was given.
class own_frames {
 public:
  bool is_next_own(trace::location const& l) noexcept;

 private:
  bool below_own_ = false;
};

}  // namespace memprof::analysis
