// SPDX-License-Identifier: MIT
/// \file
/// Profiles as speedscope reads them, in its own format: inlined calls are frames.
#pragma once

#include <iosfwd>
#include <string_view>

#include "memprof/trace/info.hpp"

#include "analysis/analysis.hpp"

namespace memprof::exports {

/// Three profiles in one file, weighted by estimated bytes: allocated, in use at the peak, in use
/// at the end. `version` is that of the exporter.
void write_speedscope(std::ostream& out, analysis::usage const& profile, trace::info const& info,
                      std::string_view name, std::string_view version);

}  // namespace memprof::exports
