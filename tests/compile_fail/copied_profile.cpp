// SPDX-License-Identifier: MIT
// Expect: deleted
#include <utility>

#include "memprof/sampling.hpp"

void copied_profile() {
  memprof::profile p = memprof::start(memprof::sampling_rate{1e-4}, memprof::null_tracker);
#ifdef MEMPROF_VALID
  memprof::profile other = std::move(p);
#else
  memprof::profile other = p;
#endif
  other.stop();
}
