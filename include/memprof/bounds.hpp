// SPDX-License-Identifier: MIT
/// \file
/// What a sampled allocation limit guarantees: how likely a wrong interrupt is, and how late a
/// right one can be.
///
///     using namespace memprof::literals;
///     // Parsing takes 50 MiB at most. A limit of 64 MiB does not interrupt it by mistake:
///     static_assert(memprof::probability_interrupted(64_MiB, 50_MiB) < 1e-9);
///     // And a parse that runs away is stopped before 80 MiB:
///     static_assert(memprof::certain_interruption(64_MiB, 1e-9) <= 80_MiB);
///
/// For all functions here:
///  - n is in the words that the library counts: each block's words and one more (`block_words`),
///    frees not credited. A partial word of `bytes` counts as a word.
///  - `rate` should be the rate at which limits count: `limit_sampling_rate()`, by default
///    `default_sampling_rate`. With `counting::exact` there is nothing to compute.
///  - "Interrupted" means that the limit is hit: sample number k = samples_to_interrupt(limit) has
///    come. The interrupt is raised at once if it can be raised there;
///    `memprof/delivery_bounds.hpp` says how late it may be otherwise. Threads that share a budget
///    share its samples: n is their sum.
///  - Probabilities and their complements have a relative error of at most 1e-12 down to 1e-300
///    (measured: 1e-14), for all amounts of 63 bits and all rates that are normal numbers. Amounts
///    are exact to the word (or byte).
///  - At rate 0 no samples are taken: nothing is ever interrupted, and every amount is safe.
///  - Arguments out of range are std::domain_error: an amount below 0; a risk that is not in (0, 1)
///    or not a number. The result is never not-a-number.
///  - All are constexpr and give the same results at compile time and at run time. At run time a
///    probability takes 6 us, an inverse ten times as long, and `minimal_rate` for a ratio close to
///    1 up to a millisecond. At compile time a probability takes 5 000 steps of clang or 100 000
///    operations of g++, an inverse 50 000 or 500 000. The compilers' default limits for one
///    constant expression are a million and 33 million; -fconstexpr-steps and
///    -fconstexpr-ops-limit raise them.
///  - Thread-safe. They allocate nothing unless they throw; only because they may throw, they are
///    not for signal handlers.
///
/// \see docs/statistical.md (3), (5), (9) to (16).
#pragma once

#include <cstdint>

#include "memprof/units.hpp"

namespace memprof::inline v0 {

/// k = max(1, ceil(limit p)): the number of the sample at which a limit is hit. The engine calls
/// the same function. 10 kw at 1e-4 is 1 sample, although the double 1e-4 is rounded: see (9).
constexpr std::int64_t samples_to_interrupt(words limit,
                                            sampling_rate rate = default_sampling_rate);
constexpr std::int64_t samples_to_interrupt(bytes limit,
                                            sampling_rate rate = default_sampling_rate);

/// P(at least one sample in n words) = 1 - (1-p)^n.
constexpr double probability_triggered(words n, sampling_rate rate = default_sampling_rate);
constexpr double probability_triggered(bytes n, sampling_rate rate = default_sampling_rate);

/// P(a task under `limit` is interrupted by the time it has allocated n) = P(Bin(n, p) >= k).
constexpr double probability_interrupted(words limit, words n,
                                         sampling_rate rate = default_sampling_rate);
constexpr double probability_interrupted(bytes limit, bytes n,
                                         sampling_rate rate = default_sampling_rate);

/// The complement P(Bin(n, p) < k), computed directly: accurate down to 1e-300.
constexpr double probability_not_interrupted(words limit, words n,
                                             sampling_rate rate = default_sampling_rate);
constexpr double probability_not_interrupted(bytes limit, bytes n,
                                             sampling_rate rate = default_sampling_rate);

/// Largest n with P(interrupted) < t: what a task may allocate at the risk t of a wrong interrupt.
///
/// \param t in (0, 1); 1e-9 is a usual choice.
/// \return whole words; at least k - 1, because fewer than k words cannot hold k samples. The
///   largest representable amount, if every amount is safe.
constexpr words safe_allocation(words limit, double t, sampling_rate rate = default_sampling_rate);
constexpr bytes safe_allocation(bytes limit, double t, sampling_rate rate = default_sampling_rate);

/// Least n with P(not interrupted) < t: an amount at which a task is interrupted with probability
/// over 1 - t.
///
/// \return whole words.
/// \throws std::domain_error also if no amount of 63 bits is enough, as at rate 0.
constexpr words certain_interruption(words limit, double t,
                                     sampling_rate rate = default_sampling_rate);
constexpr bytes certain_interruption(bytes limit, double t,
                                     sampling_rate rate = default_sampling_rate);

/// Least limit under which n is safe: P(interrupted) < t.
///
/// \return exact to the word, or to the byte. 0 if even one sample is unlikely enough.
/// \throws std::domain_error also if that limit does not fit in 63 bits.
constexpr words limit_for_safe(words n, double t, sampling_rate rate = default_sampling_rate);
constexpr bytes limit_for_safe(bytes n, double t, sampling_rate rate = default_sampling_rate);

/// Least rate p at which n is safe under a limit of k samples (k/p words) that is at most `ratio`
/// times n.
///
/// That is p = k / (ratio n) with the least k for which P(Bin(n, p) >= k) < t: the limit ratio n is
/// then k mean intervals. At p, limit_for_safe(n, t) / n is at most `ratio`.
///
/// k is a step function of the rate, so not every higher rate is enough: just above p, k + 1
/// samples may be needed and too few words left for them. Every rate p k'/k with whole k' > k is
/// enough.
///
/// \param n at least 1 word.
/// \param ratio over 1, finite.
/// \return in (0, 1].
/// \throws std::domain_error also if no rate is enough: if ratio n < n + 1, even 1 is not.
constexpr double minimal_rate(words n, double ratio, double t);
constexpr double minimal_rate(bytes n, double ratio, double t);

}  // namespace memprof::inline v0

#include "memprof/detail/bounds_functions.hpp"
