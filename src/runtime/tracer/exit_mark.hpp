// SPDX-License-Identifier: MIT
/// \file
/// The moment at which the process began to end, noted in its trace. What is freed afterwards, by
/// destructors of static objects for instance, was in use as long as the program worked.
#pragma once

namespace memprof::tracer {

/// `main` has returned, or `exit` was called: the first such call of a process counts. Nothing if
/// the process is not traced, or if this is a child of vfork in its parent's memory.
void mark_exit() noexcept;

/// Calls mark_exit when the process exits: before what was registered with atexit and constructed
/// earlier is called and destroyed, and after what was so later.
void mark_exit_by_handler() noexcept;

}  // namespace memprof::tracer
