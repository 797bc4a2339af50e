// SPDX-License-Identifier: MIT
/// \file
/// Front header of `sampling`: the random laws under the sampling core.
///
/// Sampling marks each word with probability p, independently. Two laws follow, and both are here:
/// the distance from one mark to the next is geometric (`geometric_distribution`), and the number
/// of marks in a given set of words is binomial (`binomial`, and `thin` for going from one rate to
/// a lower one). `goodness_of_fit` tests whether samples follow them.
///
/// What holds for the whole component, since it runs inside malloc:
///  - It includes the C++ standard library only, and calls nothing of it but mathematics: log,
///    log1p, exp, erfc, sqrt, floor.
///  - Nothing allocates, locks, throws or touches errno.
///  - State is plain data, valid when zero-initialised, so it can be a `constinit thread_local`.
///  - Nothing here is shared: a `random_state` belongs to one thread. Signals: memory-safe, but a
///    handler that draws from the state it interrupted may see the same numbers twice.
#pragma once

#include "sampling/binomial.hpp"                // IWYU pragma: export
#include "sampling/geometric_distribution.hpp"  // IWYU pragma: export
#include "sampling/goodness_of_fit.hpp"         // IWYU pragma: export
#include "sampling/random.hpp"                  // IWYU pragma: export
