// SPDX-License-Identifier: MIT
/// \file
/// Profiles as Valgrind's dh_view.html and the Firefox profiler read them: DHAT's JSON, version 2.
#pragma once

#include <iosfwd>

#include "memprof/trace/info.hpp"

#include "analysis/analysis.hpp"

namespace memprof::exports {

/// Writes `profile`, one not made by size: for each backtrace estimated bytes and blocks in all,
/// when it had most, at the peak of the whole program and at the end, and the lifetimes of its
/// blocks. The unit of time is the microsecond; DHAT's counts of accesses are left out.
void write_dhat(std::ostream& out, analysis::usage const& profile, trace::info const& info);

}  // namespace memprof::exports
