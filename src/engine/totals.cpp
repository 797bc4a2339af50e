// SPDX-License-Identifier: MIT
#include "engine/totals.hpp"

namespace memprof::engine {

constinit process_totals total;

}  // namespace memprof::engine
