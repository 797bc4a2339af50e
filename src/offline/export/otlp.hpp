// SPDX-License-Identifier: MIT
/// \file
/// Profiles as OpenTelemetry's protocol has them: ProfilesData of profiles/v1development.
#pragma once

#include <iosfwd>

#include "memprof/trace/reader.hpp"

#include "analysis/analysis.hpp"

namespace memprof::exports {

/// Writes `profile`, one made by size, with the values of write_pprof: four profiles of one value
/// each over shared tables. The bytes are an ExportProfilesServiceRequest, too, which a collector
/// takes at /v1development/profiles.
///
/// \param default_type the first profile.
void write_otlp(std::ostream& out, analysis::usage const& profile, trace::reader const& reader,
                char const* default_type = "inuse_space");

}  // namespace memprof::exports
