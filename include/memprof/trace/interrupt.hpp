// SPDX-License-Identifier: MIT
/// \file
/// Interrupts in a trace: limits that stopped a task while it was traced.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>

#include "memprof/interrupted.hpp"
#include "memprof/trace/event.hpp"

namespace memprof::inline v0::trace {

/// An interrupt as it was raised. memtrace's format knows of none: in the file it is an announced
/// code that no backtrace uses, which other readers pass over. So it is no event, and stands some
/// time behind the events around it.
///
/// time        when it was raised, since the start of the trace.
/// kind        which limit.
/// allowed     bytes; of a deadline nanoseconds; of a token 0.
/// measured    in the same unit: what the limit counted.
/// deferrals   how often it had been due before, where it could not be raised.
/// thread      the kernel's number of the thread.
/// stack       the innermost calls, outermost first, as far as there was room for them. The views
///             live as long as the reader they came from.
struct interrupt {
  std::chrono::microseconds time{0};
  limit_kind kind{};
  std::int64_t allowed = 0;
  std::int64_t measured = 0;
  std::uint64_t deferrals = 0;
  std::uint64_t thread = 0;
  std::span<location const> stack;
};

}  // namespace memprof::inline v0::trace
