// SPDX-License-Identifier: MIT
#include "export/pprof.hpp"

#include "export/profile_builder.hpp"

namespace memprof::exports {

void write_pprof(std::ostream& out, analysis::usage const& profile, trace::legend legend,
                 char const* default_type) {
  pprof::profile_writer writer(out);
  profile_builder(writer, legend, profile.codes).write(profile, default_type);
}

}  // namespace memprof::exports
