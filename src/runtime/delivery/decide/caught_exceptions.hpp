// SPDX-License-Identifier: MIT
/// \file
/// The exceptions that this thread's handlers are busy with.
#pragma once

namespace memprof::delivery {

/// Is the innermost handler at work on an exception that is not C++'s? So is a `catch (...)` that
/// holds the forced unwinding of a cancelled thread: leaving it by another exception is fatal
/// ("exception not rethrown").
bool holds_foreign_exception() noexcept;

}  // namespace memprof::delivery
