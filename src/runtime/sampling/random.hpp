// SPDX-License-Identifier: MIT
/// \file
/// Random numbers with a true tail: xoshiro256++, uniform and exponential.
#pragma once

#include <cstdint>

namespace memprof::sampling {

/// The generator: 256 bits. Zero-initialised means "not seeded yet": call `seed` before drawing.
/// Drawing from an unseeded state is not random (`next` returns 0 for ever), but every law returns.
struct random_state {
  std::uint64_t s[4];
};

/// Puts the generator at the start of stream `stream` of `seed`.
///
/// Same arguments, same words from `next`, on every machine. Streams of one seed (one per thread,
/// say) are distinct, and as unrelated as those of different seeds. The state is never all zero.
///
/// \note Cost: some 10 ns.
void seed(random_state& random, std::uint64_t seed, std::uint64_t stream) noexcept;

/// 64 random bits. Cost: 1 to 3 ns.
[[nodiscard]] std::uint64_t next(random_state& random) noexcept;

/// A number in (0, 1), P(U < x) = x for x down to 1e-307: neither 0 nor 1 ever comes out.
///
/// Near 0 it keeps a full 53-bit mantissa; near 1 the spacing is 2^-53. The limit of the tail is
/// the generator: its words are proven equidistributed in threes, so 192 bits deep (1e-58).
///
/// \note Cost: 2 calls of `next`, and one more with probability 2^-64.
[[nodiscard]] double uniform(random_state& random) noexcept;

/// A number > 0, P(E > x) = exp(-x) with the tail of `uniform`. At most 709, at least 2^-54.
///
/// \note Cost: `uniform` and a logarithm: 8 ns.
[[nodiscard]] double exponential(random_state& random) noexcept;

}  // namespace memprof::sampling
