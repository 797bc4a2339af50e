// SPDX-License-Identifier: MIT
#include "engine/totals.hpp"

#include <algorithm>
#include <cmath>

#include "memprof/detail/confidence_functions.hpp"

#include "engine/process_state.hpp"
#include "engine/thread_state.hpp"

namespace memprof::engine {

constinit process_totals total;

namespace {

namespace statistics = memprof::detail::statistics;

bytes to_bytes(double amount) noexcept {
  constexpr double most = 9.2e18;
  return bytes{static_cast<std::int64_t>(std::clamp(amount, 0.0, most))};
}

/// interval    S in bytes at the rate at which blocks not seen would have been sampled.
estimate bounded(double value, double variance, double interval, double confidence,
                 std::uint64_t samples) noexcept {
  if (interval <= 8.0) {  // every word was sampled
    return {to_bytes(value), to_bytes(value), to_bytes(value), confidence, samples};
  }
  const real_interval bounds = statistics::live_interval(value, variance, interval, confidence);
  return {to_bytes(value), to_bytes(std::floor(bounds.lower)), to_bytes(std::ceil(bounds.upper)),
          confidence, samples};
}

struct sums {
  double weight = 0.0;
  double variance = 0.0;
  std::int64_t blocks = 0;

  void add(live_sum const& s) noexcept {
    weight += static_cast<double>(s.weight.load(std::memory_order_relaxed));
    variance += static_cast<double>(s.variance.load(std::memory_order_relaxed)) * variance_unit;
    blocks += s.blocks.load(std::memory_order_relaxed);
  }
  void add(contribution const& c) noexcept {
    weight += static_cast<double>(c.weight);
    variance += static_cast<double>(c.variance) * variance_unit;
    blocks += c.weight > 0 ? 1 : 0;
  }
};

/// The members are no snapshot: while blocks come and go, any of them may be below 0 for a moment.
estimate bounded(sums const& s, double per_word, double confidence) noexcept {
  return bounded(std::max(0.0, s.weight), std::max(0.0, s.variance), 8.0 / per_word, confidence,
                 static_cast<std::uint64_t>(std::max<std::int64_t>(0, s.blocks)));
}

double rate_of_process() noexcept {
  const double per_word = process_rate();
  return per_word > 0.0 ? per_word : limit_rate();  // off now: as good a guess as any
}

}  // namespace

estimate estimate_of(live_sum const& sum, contribution const& coming, double confidence) noexcept {
  sums s;
  s.add(sum);
  s.add(coming);
  return bounded(s, std::max(process_rate(), limit_rate()), confidence);
}

estimate estimate_of_process(live_sum const& sum, contribution const& coming,
                             double confidence) noexcept {
  sums s;
  s.add(sum);
  s.add(coming);
  return bounded(s, rate_of_process(), confidence);
}

estimate estimate_of_process(double confidence) noexcept {
  sums s;
  s.add(total.minor);
  s.add(total.major);
  return bounded(s, rate_of_process(), confidence);
}

estimate estimate_of_samples(double samples, double interval, double confidence) noexcept {
  return bounded(samples * interval, samples * interval * interval, interval, confidence,
                 static_cast<std::uint64_t>(samples));
}

}  // namespace memprof::engine
