// SPDX-License-Identifier: MIT
/// \file
/// What one request for the page at a time uses.
#pragma once

#include <chrono>
#include <mutex>

#include "endpoints/code_names.hpp"
#include "endpoints/live_index.hpp"

namespace memprof::endpoints {

///  - `turn`: guards the rest. No thread inside malloc or free waits for it.
struct workshop {
  static constexpr std::chrono::seconds patience{2};

  std::timed_mutex turn;
  code_names names;
  live_index shown;
};

/// The process's own; a forked child begins with a new one. Never destroyed: requests may come
/// until the process ends.
[[nodiscard]] workshop& the_workshop();

}  // namespace memprof::endpoints
