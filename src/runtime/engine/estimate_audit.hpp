// SPDX-License-Identifier: MIT
/// \file
/// The audit of the estimates: does what is made of the samples keep their mean?
///
/// The audit of the sampler (gap_audit.hpp) compares samples with words. This one goes on from
/// there, block by block: given that a block of w words was sampled, its weight and S times its
/// samples have the same mean, and so have the samples that a consumer at a lower rate keeps and
/// their share. The differences are summed up: a martingale, whatever the program does. A block
/// that was sampled and is not tracked, though nobody refused it, counts as lost.
///
/// \see docs/statistical.md, "The audit of the estimates", (33a) to (33c).
#pragma once

#include <cstddef>
#include <cstdint>

#include "memprof/detail/export.hpp"

#include "engine/contribution.hpp"

namespace memprof::engine {

/// Who makes something of the samples: live memory, the limits' count of words, the observers.
enum class consumer : std::uint8_t { live, limits, trace, profile };
inline constexpr std::size_t consumers = 4;

/// Sums over blocks, in samples: what their consumer should count on average, how much more it
/// counted, and the variance of that excess.
struct residual {
  double expected = 0.0;
  double excess = 0.0;
  double variance = 0.0;

  /// At least the probability of so large an excess, on either side. Not over 1. An excess by the
  /// rounding of weights is none.
  [[nodiscard]] double p_value() const noexcept;
};

/// The block of the open event, of `words` words, got n >= 1 samples.
void expect_block(std::int64_t words, std::uint64_t n,
                  sampling::geometric_distribution const& law) noexcept;
/// It is tracked, and adds this to the sums.
void check_tracked(rounded_contribution const& c) noexcept;
/// It will not be: its request was refused, or there is no memory. Cost: a logarithm and an
/// exponential, if it was sampled.
void forgo_block() noexcept;
/// The event ends.
void close_block() noexcept;

/// A consumer at the rate `to` kept `kept` of n samples drawn at the rate `from`.
void check_thinned(consumer who, std::uint64_t n, std::uint64_t kept, double from,
                   double to) noexcept;

/// What all threads have summed up since the process began (in a forked child, its parent's too).
[[nodiscard]] residual read_residual(consumer who) noexcept;

}  // namespace memprof::engine
