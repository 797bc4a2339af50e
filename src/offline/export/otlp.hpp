// SPDX-License-Identifier: MIT
/// \file
/// Profiles as OpenTelemetry's protocol has them: ProfilesData of profiles/v1development.
#pragma once

#include <iosfwd>

#include "analysis/analysis.hpp"
#include "trace/trace.hpp"

namespace memprof::exports {

/// Writes `profile`, one made by size, with the values of write_pprof: four profiles of one value
/// each over shared tables. The bytes are an ExportProfilesServiceRequest, too, which a collector
/// takes at /v1development/profiles.
///
/// \param default_type the first profile.
void write_otlp(std::ostream& out, analysis::usage const& profile, trace::legend legend,
                char const* default_type = "inuse_space");

}  // namespace memprof::exports
