// SPDX-License-Identifier: MIT
/// \file
/// How far it is to the next mark: the geometric law.
#pragma once

#include <cstdint>

#include "sampling/random.hpp"

namespace memprof::sampling {

/// The law of the distance G, in words, from one mark to the next, where each word is marked with
/// probability p: P(G > n) = (1-p)^n, mean 1/p.
///
/// G = 1 is the very next word. The law has no memory, so a countdown may be thrown away and drawn
/// anew at any time (when the rate changes, say) without bias.
///
/// Plain data: trivially copyable, constant-initialised, zero means rate 0.
///
///     memprof::sampling::geometric_distribution law(1e-4);
///     auto countdown = law.draw(random);        // about 10'000 words
class geometric_distribution {
 public:
  /// The gap at rate 0, and the longest there is: 2^62 words.
  static constexpr std::int64_t never = std::int64_t{1} << 62;

  /// Rate 0.
  constexpr geometric_distribution() noexcept = default;

  /// \param per_word p in [0, 1]. (Below 0 or NaN counts as 0, above 1 as 1; a `sampling_rate` is
  ///   never either.)
  /// \note Cost: a logarithm.
  explicit geometric_distribution(double per_word) noexcept;

  /// A gap: in [1, never].
  ///
  /// p = 1 gives 1 and p = 0 gives `never`, and neither takes anything from `random`.
  ///
  /// \note Accuracy: P(G > n) to a relative 2^-53 (1 + n p) and 1e-13, at every n up to the tail of
  ///   `uniform`; P(G <= n) to an absolute 2^-53 or so.
  /// \note Cost: `ziggurat_exponential` and a division.
  [[nodiscard]] std::int64_t draw(random_state& random) const noexcept;

  /// The gap if it is at most `most`, else `never`: for a stretch of `most` words, [0, 2^53].
  ///
  /// The same gaps as `draw`, from the same random words. But as nearly all stretches are much
  /// shorter than the mean interval, it can nearly always do without the division.
  [[nodiscard]] std::int64_t draw_within(random_state& random, std::int64_t most) const noexcept;

  /// P(G > words) = (1-p)^words, to a relative 2^-53 (1 + words p) or so. For a rate below 1.
  [[nodiscard]] double probability_of_none(std::int64_t words) const noexcept;

  /// P(G <= words), as accurate for small ones. Cost: up to words p = 1/32 a polynomial, and an
  /// exponential beyond.
  [[nodiscard]] double probability_of_any(std::int64_t words) const noexcept;

  /// The rate.
  [[nodiscard]] constexpr double per_word() const noexcept { return per_word_; }

 private:
  [[nodiscard]] std::int64_t after(double exponential) const noexcept;

  double per_word_ = 0;
  double hazard_ = 0;  // -log(1 - p): the rate of the exponential law that rounds up to this one
};

}  // namespace memprof::sampling
