// SPDX-License-Identifier: MIT
#include "analysis/interval.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "memprof/confidence.hpp"

namespace memprof::analysis {
namespace {
constexpr double z = 1.959963984540054;  // 95 %, both sides
}

double estimated::relative_error() const noexcept {
  return value > 0 ? std::max(upper - value, value - lower) / value : 0;
}

estimated estimated_bytes(trace::info const& info, std::uint64_t samples, moment m) {
  const double rate = info.sample_rate;
  const auto n = static_cast<double>(samples);
  estimated r;
  r.value = info.bytes_of(n);
  if (rate >= 1) {
    r.lower = r.upper = r.value;
  } else if (m == moment::picked) {
    const sample_bounds b = picked_bounds(samples, rate);
    r.lower = info.bytes_of(b.lower);
    r.upper = info.bytes_of(b.upper);
  } else {
    try {
      // In words of eight bytes.
      const words_interval w = allocated_interval(samples, 0.95, sampling_rate{rate});
      r.lower = static_cast<double>(w.lower.count()) * info.word_bytes();
      r.upper = static_cast<double>(w.upper.count()) * info.word_bytes();
    } catch (std::domain_error const&) {  // beyond 63 bits of them
      const double error = z * std::sqrt((n + 1) * (1 - rate)) / rate * info.word_bytes();
      r.lower = std::max(0.0, r.value - error);
      r.upper = r.value + error;
    }
  }
  return r;
}

}  // namespace memprof::analysis
