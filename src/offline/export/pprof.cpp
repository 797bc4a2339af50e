// SPDX-License-Identifier: MIT
#include "export/pprof.hpp"

#include "export/profile_builder.hpp"

namespace memprof::exports {

void write_pprof(std::ostream& out, analysis::usage const& profile, trace::reader const& reader,
                 char const* default_type) {
  pprof::profile_writer writer(out);
  profile_builder(writer, reader, profile.codes).write(profile, default_type);
}

}  // namespace memprof::exports
