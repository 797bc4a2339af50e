// SPDX-License-Identifier: MIT
/// \file
/// What happens over time: samples allocated, promoted and freed, and what is live, in equal steps.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace memprof::analysis {

/// In samples. `live`: at the end of the step.
struct series_step {
  std::uint64_t allocated = 0;
  std::uint64_t promoted = 0;
  std::uint64_t freed = 0;
  std::uint64_t live = 0;
};

struct time_series {
  std::chrono::microseconds step{1};
  std::vector<series_step> steps;  ///< from time 0; [i] is of times in [i step, (i + 1) step)
};

/// Times may come in any order, as they do from several domains. When there are more than `most`
/// steps, pairs of them become one: memory is bounded, however long the trace is, and steps are
/// powers of two.
class series_builder {
 public:
  series_builder() = default;
  /// Of a trace whose length is known: at most `points` equal steps, all of them in the result.
  series_builder(std::chrono::microseconds duration, std::size_t points);

  void allocated(std::chrono::microseconds time, std::uint64_t samples);
  void promoted(std::chrono::microseconds time, std::uint64_t samples);
  void freed(std::chrono::microseconds time, std::uint64_t samples);
  [[nodiscard]] time_series finish() const;

  static constexpr std::size_t most = 512;

 private:
  series_step& at(std::chrono::microseconds time);

  std::uint64_t step_ = 1;  // us
  bool fixed_ = false;
  std::vector<series_step> steps_;
};

}  // namespace memprof::analysis
