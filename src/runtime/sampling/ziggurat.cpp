// SPDX-License-Identifier: MIT
#include "sampling/ziggurat.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace memprof::sampling {
namespace {

/// Bits as a multiple of 2^-54. (The conversion of a signed number is one instruction.)
double fraction(std::uint64_t bits_of_54) noexcept {
  return static_cast<double>(static_cast<std::int64_t>(bits_of_54)) * 0x1p-54;
}

bool is_seeded(random_state const& random) noexcept {
  auto const& s = random.s;
  return (s[0] | s[1] | s[2] | s[3]) != 0;
}

}  // namespace

// The tail beyond r is the law again: it has no memory.
double ziggurat_exponential(random_state& random) noexcept {
  constexpr detail::exponential_layers const& t = detail::layers_of_exponential;
  while (true) {
    std::uint64_t const bits = next(random);
    if (bits == 0 && !is_seeded(random)) [[unlikely]]
      return exponential(random);
    std::size_t const layer = bits % t.count;
    double const x = t.edge[layer] * fraction(bits >> 10 | 1);  // odd: never 0
    if (x < t.edge[layer + 1]) [[likely]]
      return x;
    if (layer == 0) return t.edge[1] + exponential(random);
    double const height = t.density[layer + 1] - t.density[layer];
    if (t.density[layer] + fraction(next(random) >> 10) * height < std::exp(-x)) return x;
  }
}

}  // namespace memprof::sampling
