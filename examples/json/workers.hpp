// SPDX-License-Identifier: MIT
/// \file
/// Parses documents on several threads under the global memory limit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <memprof/memprof.hpp>

#include "document.hpp"

namespace example::json {

/// How one attempt at a document ended.
struct attempt {
  std::optional<summary> found;             ///< it was parsed
  std::optional<memprof::interrupted> hit;  ///< the limit cut it
  std::string failure;                      ///< something else went wrong
};

/// A document to parse, once together with the others, and if that was interrupted once alone.
///
/// What the global limit says is that the process as a whole takes too much. `victim::largest`
/// picks the task that most likely causes it, but while a bomb is being taken down the heap is over
/// the limit still, and a neighbour may be picked, too. So an interrupted document is tried once
/// more with the others out of the way: who takes too much alone is the bomb.
struct job {
  document const* source;
  attempt together = {};
  std::optional<attempt> alone = {};

  [[nodiscard]] attempt const& last() const { return alone ? *alone : together; }
};

/// Runs all jobs: first on `threads` threads, then the interrupted ones again one by one.
void run_jobs(std::vector<job>& jobs, unsigned threads);

}  // namespace example::json
