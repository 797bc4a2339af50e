// SPDX-License-Identifier: MIT
/// \file
/// A trace requested by the environment: MEMTRACE, MEMTRACE_RATE.
#pragma once

#include "base/base.hpp"
#include "tracer/session.hpp"

namespace memprof::tracer {

/// Fills in the file's name. It is made absolute: a forked child, or a program executed in the
/// place of this one, may be in another folder. False: it is empty or too long.
bool set_file(settings& wanted, char const* name) noexcept;

/// Fills in the text, cut if it is too long.
void set_context(settings& wanted, char const* text) noexcept;

/// MEMTRACE_RATE, if it is set, instead of `rate`; if it is malformed, `error` says so.
void read_rate(double& rate, base::setting_error& error) noexcept;

/// The value of MEMTRACE; null if it is unset or empty.
[[nodiscard]] char const* requested_file() noexcept;

/// Empties MEMTRACE, so that no program started from here is traced to the same file.
void forget_request() noexcept;

/// For the preload library, when it is loaded: lets a recorder outside record this process, if
/// there is one (`relay_session.hpp`); otherwise starts a trace if MEMTRACE requests one.
///
/// The environment then has no MEMTRACE, so that programs started from here are not traced to the
/// same file; but one that this process executes in its place is, and its trace is the one that
/// remains: the file is handed over to it in MEMPROF_TRACED_PROCESS, together with the process id.
/// Where the name has "%p" each process has a file of its own, and MEMTRACE stays as it is.
///
/// \return false: a setting is malformed, which was reported. A file that cannot be written was
///   reported, too; then the program runs without a trace.
bool start_if_requested() noexcept;

}  // namespace memprof::tracer
