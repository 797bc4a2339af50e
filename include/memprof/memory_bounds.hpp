// SPDX-License-Identifier: MIT
/// \file
/// What a limit on live memory guarantees, and how far off estimates of live memory are.
///
///     // 50 MiB of blocks, of whatever sizes, are taken for more than 64 MiB with probability:
///     double wrong = memprof::probability_memory_interrupted(64_MiB, 50_MiB);    // < 6e-11
///     // The same for blocks of 1000 bytes, exactly:
///     auto w = memprof::block_words(1000_B);
///     wrong = memprof::probability_memory_interrupted(64_MiB, w, 50_MiB / memprof::bytes{w});
///
/// Live memory is estimated by weighing each sampled block by the inverse of the probability that
/// it was sampled. "Any mixture" means any sizes whatever: small blocks are the worst case, and
/// that is proven (docs/statistical.md (18)). Amounts of live memory count what the library counts
/// (`block_words`). Words convert to bytes, so both can be given.
///
/// As in memprof/bounds.hpp: constexpr, thread-safe, std::domain_error for arguments out of range
/// (also for rate 0, where nothing is estimated), never not-a-number. A bound costs 0.2 us at run
/// time, an inverse 20 us.
#pragma once

#include <cstdint>

#include "memprof/units.hpp"

namespace memprof::inline v0 {

/// q = 1 - (1-p)^w: the probability that a block of `block` counted words is sampled, (2).
constexpr double inclusion_probability(words block, sampling_rate rate = default_sampling_rate);

/// Variance of the estimate "samples x S" of n words, whatever the blocks: n S (1-p), in words^2.
/// It is the one used for words allocated; for live memory it would be as good for small blocks and
/// have a needless error for large ones.
constexpr double variance_by_samples(words n, sampling_rate rate = default_sampling_rate);

/// Variance of the estimate by weights, w/q for each sampled block, of `blocks` blocks of `block`
/// words: blocks w^2 (1-q)/q, in words^2. Never over that of `variance_by_samples`. Used for live
/// memory.
constexpr double variance_by_inclusion(words block, std::int64_t blocks,
                                       sampling_rate rate = default_sampling_rate);

/// The same for the number of blocks instead of their words: samples x S/w, and 1/q for each
/// sampled block.
constexpr double count_variance_by_samples(words block, std::int64_t blocks,
                                           sampling_rate rate = default_sampling_rate);
constexpr double count_variance_by_inclusion(words block, std::int64_t blocks,
                                             sampling_rate rate = default_sampling_rate);

/// P(the estimate of `live` bytes is over `limit`), for any mixture of blocks: an upper bound, e^-D
/// of equation (19). 1 if `live` is not under the limit.
///
/// It is about one moment. While a task grows it holds for all its moments together, with its
/// largest live memory; with frees see the next function.
constexpr double probability_memory_interrupted(bytes limit, bytes live,
                                                sampling_rate rate = default_sampling_rate);

/// P(it ever is) in the life of a task that has never more than `live` and allocates `allocated`
/// in all: an upper bound, (21). At least the other one.
constexpr double probability_memory_ever_interrupted(bytes limit, bytes live, bytes allocated,
                                                     sampling_rate rate = default_sampling_rate);

/// P(the estimate of `blocks` blocks of `block` counted words each is over `limit`), exactly, (17).
constexpr double probability_memory_interrupted(bytes limit, words block, std::int64_t blocks,
                                                sampling_rate rate = default_sampling_rate);

/// P(the estimate of `live` bytes is not over `limit`), for any mixture: an upper bound. 1 if
/// `live` is not over the limit. A task that was ever over it stays hit, so this is also a bound on
/// its getting away with a peak of `live`.
constexpr double probability_memory_not_interrupted(bytes limit, bytes live,
                                                    sampling_rate rate = default_sampling_rate);

/// Largest live amount for which probability_memory_interrupted < t, for any mixture; whole words.
constexpr bytes safe_memory(bytes limit, double t, sampling_rate rate = default_sampling_rate);

/// Least live amount for which probability_memory_not_interrupted < t, for any mixture; whole
/// words.
///
/// throws      std::domain_error, also if it does not fit 63 bits.
constexpr bytes certain_memory_interruption(bytes limit, double t,
                                            sampling_rate rate = default_sampling_rate);

/// Least limit under which `live` is safe at risk t, for any mixture; whole words.
/// throws      std::domain_error, also if it does not fit 63 bits.
constexpr bytes memory_limit_for_safe(bytes live, double t,
                                      sampling_rate rate = default_sampling_rate);

}  // namespace memprof::inline v0

#include "memprof/detail/memory_bounds_functions.hpp"
