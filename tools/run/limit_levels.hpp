// SPDX-License-Identifier: MIT
/// \file
/// Whether an amount of memory that is estimated again and again has passed a limit.
#pragma once

#include <cstdint>

#include "recorder/recorder.hpp"

namespace memprof::tools {

enum class limit_level : std::uint8_t { none, soft, hard };

/// A limit is passed when the amount surely is over it: in a whole run the chance that one is said
/// to be passed although the amount was never over it is below `risk`, however often one looks. An
/// amount without variance is exact.
///
/// \see docs/statistical.md (26), (27a).
class limit_levels {
 public:
  static constexpr double risk = 1e-6;

  /// \param soft,hard bytes.
  /// \param of_run instead of `risk`.
  limit_levels(double soft, double hard, double of_run = risk)
      : soft_(soft), hard_(hard), risk_(of_run), next_hard_(hard) {}

  /// The limit that is newly passed. Each is passed again after the amount was below nine tenths of
  /// it; the hard one also when the amount has grown by half.
  limit_level look(recorder::live_amount const& now);

  /// Somebody else saw that the hard limit is passed.
  void pass_hard(recorder::live_amount const& now);

  [[nodiscard]] double soft() const noexcept { return soft_; }
  [[nodiscard]] double hard() const noexcept { return hard_; }

 private:
  [[nodiscard]] bool surely_over(recorder::live_amount const& now, double limit) const;

  double soft_, hard_;
  double risk_;
  double next_hard_;
  bool soft_passed_ = false;
  std::uint64_t looks_ = 0;
};

}  // namespace memprof::tools
