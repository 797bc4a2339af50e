// SPDX-License-Identifier: MIT
/// \file
/// Misuse that would corrupt the limits of a thread: it is reported in one sentence, and the
/// process ends.
#pragma once

namespace memprof::inline v0::detail {

/// Prints "memprof: FUNCTION: WHAT" and aborts. Allocates nothing and takes no lock.
[[noreturn]] void end_by_misuse(char const* function, char const* what) noexcept;

}  // namespace memprof::inline v0::detail
