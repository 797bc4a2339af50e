// SPDX-License-Identifier: MIT
/// \file
/// What a limit on live memory guarantees, and how far off estimates of live memory are.
///
///     // The probability that 50 MiB of blocks, of any sizes, are estimated at over 64 MiB:
///     double wrong = memprof::probability_memory_interrupted(64_MiB, 50_MiB);    // < 6e-11
///     // The same for blocks of 1000 bytes, exactly:
///     auto w = memprof::block_words(1000_B);
///     wrong = memprof::probability_memory_interrupted(64_MiB, w, 50_MiB / memprof::bytes{w});
///
/// Live memory is estimated by weighting each sampled block by the inverse of the probability that
/// it was sampled. "Any mixture" means blocks of any sizes: small blocks are the worst case, which
/// docs/statistical.md (19) proves. Amounts of live memory are in the words that the library counts
/// (`block_words`). Words convert to bytes, so either can be passed.
///
/// As in memprof/bounds.hpp: constexpr, thread-safe, std::domain_error for arguments out of range
/// (including rate 0, at which nothing is estimated), never not-a-number. At run time a bound costs
/// 0.2 us, an inverse 20 us.
#pragma once

#include <cstdint>

#include "memprof/units.hpp"

namespace memprof::inline v0 {

/// q = 1 - (1-p)^w: the probability that a block of `block` counted words is sampled, (2).
constexpr double inclusion_probability(words block, sampling_rate rate = default_sampling_rate);

/// Variance of the estimate "samples x S" of n words, whatever the blocks: n S (1-p), in words^2.
/// This estimate is used for words allocated. For live memory it would be as good for small blocks,
/// but would have a needless error for large ones.
constexpr double variance_by_samples(words n, sampling_rate rate = default_sampling_rate);

/// Variance of the estimate by weights, w/q for each sampled block, of `blocks` blocks of
/// w = `block` words each: blocks w^2 (1-q)/q, in words^2. Never over `variance_by_samples`. This
/// estimate is used for live memory.
constexpr double variance_by_inclusion(words block, std::int64_t blocks,
                                       sampling_rate rate = default_sampling_rate);

/// The same for the number of blocks instead of their words: samples x S/w, and 1/q for each
/// sampled block.
constexpr double count_variance_by_samples(words block, std::int64_t blocks,
                                           sampling_rate rate = default_sampling_rate);
constexpr double count_variance_by_inclusion(words block, std::int64_t blocks,
                                             sampling_rate rate = default_sampling_rate);

/// P(the estimate of `live` bytes is over `limit`), for any mixture of blocks: an upper bound, e^-D
/// of equation (20). 1 if `live` is not under the limit.
///
/// It holds at one moment. For a task that only grows it also holds for all moments together, with
/// `live` its largest live memory. If the task frees memory, use the next function.
constexpr double probability_memory_interrupted(bytes limit, bytes live,
                                                sampling_rate rate = default_sampling_rate);

/// P(the estimate is ever over `limit`) for a task that never has more than `live` and allocates
/// `allocated` in all: an upper bound, (21). Never below `probability_memory_interrupted`.
constexpr double probability_memory_ever_interrupted(bytes limit, bytes live, bytes allocated,
                                                     sampling_rate rate = default_sampling_rate);

/// P(the estimate of `blocks` blocks of `block` counted words each is over `limit`), exactly, (18).
constexpr double probability_memory_interrupted(bytes limit, words block, std::int64_t blocks,
                                                sampling_rate rate = default_sampling_rate);

/// P(the estimate of `live` bytes is not over `limit`), for any mixture: an upper bound. 1 if
/// `live` is not over the limit. A task stays hit once its estimate was over the limit, so this
/// also bounds the probability that a peak of `live` goes unnoticed.
constexpr double probability_memory_not_interrupted(bytes limit, bytes live,
                                                    sampling_rate rate = default_sampling_rate);

/// Largest live amount for which probability_memory_interrupted < t, for any mixture; whole words.
constexpr bytes safe_memory(bytes limit, double t, sampling_rate rate = default_sampling_rate);

/// Least live amount for which probability_memory_not_interrupted < t, for any mixture; whole
/// words.
///
/// \throws std::domain_error also if it does not fit in 63 bits.
constexpr bytes certain_memory_interruption(bytes limit, double t,
                                            sampling_rate rate = default_sampling_rate);

/// Least limit under which `live` is safe at risk t, for any mixture; whole words.
/// \throws std::domain_error also if it does not fit in 63 bits.
constexpr bytes memory_limit_for_safe(bytes live, double t,
                                      sampling_rate rate = default_sampling_rate);

}  // namespace memprof::inline v0

#include "memprof/detail/memory_bounds_functions.hpp"
