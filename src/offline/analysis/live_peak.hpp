// SPDX-License-Identifier: MIT
/// \file
/// What lives, followed in the two halves of the samples: each half says when most was live, and
/// the other how much it was.
#pragma once

#include <cstdint>

#include "analysis/amounts.hpp"
#include "analysis/sample_halves.hpp"

namespace memprof::analysis {

/// A sum over blocks, of the samples of each half.
struct half_amounts {
  amount first, second;

  [[nodiscard]] static half_amounts of_block(sample_halves const& h, std::uint64_t length,
                                             double rate) {
    half_amounts a;
    if (h.first > 0) a.first = amount::of_block(h.first, length, rate);
    if (h.second > 0) a.second = amount::of_block(h.second, length, rate);
    return a;
  }
  half_amounts& operator+=(half_amounts const& a) noexcept {
    first += a.first;
    second += a.second;
    return *this;
  }
  half_amounts& operator-=(half_amounts const& a) noexcept {
    first -= a.first;
    second -= a.second;
    return *this;
  }
  /// Both halves together, which at rate 1 are the same.
  [[nodiscard]] amount sum(double rate) const noexcept {
    amount all = first;
    if (rate < 1) all += second;
    return all;
  }
};

/// What lives, and of each half what lived at the last moment at which the other one had most. The
/// sum of these estimates what was in use at the peak, without the bias of the greatest value of a
/// noisy path. (The last one: what only grows has its peak at its end. At rate 1, where nothing is
/// noisy, it is the first.)
class live_peak {
 public:
  explicit live_peak(double rate) : beyond_(rate >= 1 ? 1 : 0) {}
  void appear(half_amounts const& block) noexcept {
    now_ += block;
    look();
  }
  void vanish(half_amounts const& block) noexcept {
    now_ -= block;
    look();
  }
  /// Whether this is such a moment of each half, so far.
  [[nodiscard]] bool first_is_most() const noexcept { return first_is_most_; }
  [[nodiscard]] bool second_is_most() const noexcept { return second_is_most_; }
  [[nodiscard]] half_amounts const& at_peak() const noexcept { return at_peak_; }

 private:
  void look() noexcept {
    first_is_most_ = now_.first.samples >= most_first_ + beyond_;
    second_is_most_ = now_.second.samples >= most_second_ + beyond_;
    if (first_is_most_) {
      most_first_ = now_.first.samples;
      at_peak_.second = now_.second;
    }
    if (second_is_most_) {
      most_second_ = now_.second.samples;
      at_peak_.first = now_.first;
    }
  }

  half_amounts now_, at_peak_;
  std::uint64_t most_first_ = 0, most_second_ = 0, beyond_;
  bool first_is_most_ = false, second_is_most_ = false;
};

}  // namespace memprof::analysis
