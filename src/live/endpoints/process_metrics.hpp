// SPDX-License-Identifier: MIT
/// \file
/// What the library counts, as families of metrics.
#pragma once

#include "memprof/serve/metrics.hpp"

namespace memprof::endpoints {

void add_process(serve::metrics& page);

}  // namespace memprof::endpoints
