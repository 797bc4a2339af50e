// SPDX-License-Identifier: MIT
#include "export/otlp.hpp"

#include "export/otlp_writer.hpp"
#include "export/profile_builder.hpp"

namespace memprof::exports {

void write_otlp(std::ostream& out, analysis::usage const& profile, trace::legend legend,
                char const* default_type) {
  otlp_writer writer(out, legend.info());
  profile_builder(writer, legend, profile.codes).write(profile, default_type);
}

}  // namespace memprof::exports
