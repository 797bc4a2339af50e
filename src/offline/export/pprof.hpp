// SPDX-License-Identifier: MIT
/// \file
/// Profiles as pprof reads them: profile.proto, gzipped.
#pragma once

#include <iosfwd>

#include "analysis/analysis.hpp"
#include "trace/trace.hpp"

namespace memprof::exports {

/// Writes `profile`, one made by size, as a heap profile: for each backtrace and size the objects
/// and the bytes allocated, and those in use at the end. These are unbiased estimates, of each row
/// before anything is summed: samples / rate words, and samples / (rate * words of a block)
/// objects. Ids are 1 to N in the order of the tables, as Parca wants them; inlined calls are lines
/// of a location; the label `bytes` is the size of a block.
///
/// \param default_type what pprof shows first: "inuse_space", "alloc_space", ...
void write_pprof(std::ostream& out, analysis::usage const& profile, trace::legend legend,
                 char const* default_type = "inuse_space");

}  // namespace memprof::exports
