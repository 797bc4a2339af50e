// SPDX-License-Identifier: MIT
/// \file
/// What the examples of docs/recovering.md share.
#pragma once

#include <utility>

#include "memprof/memprof.hpp"

namespace recovering {

/// Runs `f` under a limit that every word counts for, so that the interrupt falls at the very
/// allocation that would cross it, in every run.
template <class F>
auto exactly(memprof::bytes limit, F&& f) {
  return memprof::run_limited({.allocations = limit, .count = memprof::counting::exact},
                              std::forward<F>(f));
}

}  // namespace recovering
