// SPDX-License-Identifier: MIT
/// \file
/// Limits with one soft limit.
#pragma once

#include <utility>

#include "memprof/limits.hpp"

namespace memprof::test {

/// `l` with a callback at `fraction`.
template <class F>
limits with_soft(limits l, double fraction, F callback) {
  l.soft.push_back({fraction, std::move(callback)});
  return l;
}

}  // namespace memprof::test
