// SPDX-License-Identifier: MIT
/// \file
/// Interrupts in a trace: limits that interrupted a task while it was traced.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>

#include "memprof/interrupted.hpp"
#include "memprof/trace/event.hpp"

namespace memprof::inline v0::trace {

/// An interrupt that was raised. memtrace's format has no such event: in the file it is an
/// announced code that no backtrace uses, which other readers skip. It is therefore not an `event`,
/// and comes somewhat later in the file than the events of its time.
///
///  - `time`: when it was raised, since the start of the trace.
///  - `kind`: which limit.
///  - `allowed`: bytes; for a deadline nanoseconds; for a token 0.
///  - `measured`: in the same unit: what the limit counted.
///  - `deferrals`: how often it was due before where it could not be raised.
///  - `thread`: the kernel's thread id.
///  - `stack`: the innermost calls that there was room for, outermost first. The views live as long
///    as the reader they came from.
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
