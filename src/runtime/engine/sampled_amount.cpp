// SPDX-License-Identifier: MIT
#include "engine/sampled_amount.hpp"

#include <algorithm>
#include <cmath>

#include "memprof/detail/confidence_functions.hpp"

#include "engine/observers.hpp"
#include "engine/process_state.hpp"
#include "engine/thread_state.hpp"
#include "engine/totals.hpp"

namespace memprof::engine {
namespace {

bytes to_bytes(double amount) noexcept {
  constexpr double most = 9.2e18;
  return bytes{static_cast<std::int64_t>(std::clamp(amount, 0.0, most))};
}

class sums {
 public:
  void add(amounts const& a) noexcept {
    weight_ +=
        static_cast<double>(a.weight) + static_cast<double>(a.fraction) / (1 << fraction_bits);
    variance_ += static_cast<double>(a.variance) * variance_unit +
                 static_cast<double>(a.fine_variance) * fine_variance_unit;
    uncertain_ += static_cast<double>(a.uncertain) * uncertain_unit;
    blocks_ += a.blocks;
  }
  void add(live_sum const& s) noexcept {
    amounts a;
    a.add(s);
    add(a);
  }
  void add(contribution const& c) noexcept {
    weight_ += c.weight;
    variance_ += c.variance;
    uncertain_ += c.uncertain();
    blocks_ += c.weight > 0 ? 1 : 0;
  }
  /// The members are not read at one instant: while blocks come and go, any may be briefly below 0.
  [[nodiscard]] sampled_amount with_interval(double interval) const noexcept {
    return {.value = std::max(0.0, weight_),
            .variance = std::max(0.0, variance_),
            .uncertain = std::max(0.0, uncertain_),
            .unit = interval,
            .samples = static_cast<std::uint64_t>(std::max<std::int64_t>(0, blocks_))};
  }

 private:
  double weight_ = 0.0;
  double variance_ = 0.0;
  double uncertain_ = 0.0;
  std::int64_t blocks_ = 0;
};

double interval_of_process() noexcept {
  const double longest = process_totals.interval.load(std::memory_order_relaxed);
  if (longest > 0.0) return longest;
  const double per_word = process_rate();
  if (per_word > 0.0) return 8.0 / per_word;
  // Off now: any rate is a guess. Blocks that are sampled only for an observer are in the sum.
  const double observed = highest_observer_rate();
  return 8.0 / (observed > 0.0 ? std::min(observed, limit_rate()) : limit_rate());
}

}  // namespace

double sampled_amount::lower(double risk) const noexcept {
  return memprof::detail::statistics::live_lower(value, variance, risk);
}

bool sampled_amount::is_over(double limit, double risk) const noexcept {
  return memprof::detail::statistics::live_lower_is_over(limit, value, variance, risk);
}

double sampled_amount::upper(double risk) const noexcept {
  if (unit <= 8.0) return value;
  return memprof::detail::statistics::live_upper(value, uncertain, variance, unit, risk);
}

estimate sampled_amount::with(double confidence) const noexcept {
  const double risk = (1.0 - confidence) / 2.0;
  return {to_bytes(value), to_bytes(std::floor(lower(risk))), to_bytes(std::ceil(upper(risk))),
          confidence, samples};
}

sampled_amount amount_of(account const& a, amounts const& part,
                         contribution const& coming) noexcept {
  sums s;
  s.add(part);
  s.add(coming);
  const double longest = a.interval.load(std::memory_order_relaxed);
  return s.with_interval(longest > 0.0 ? longest : 8.0 / std::max(process_rate(), limit_rate()));
}

sampled_amount amount_of(account const& a, contribution const& coming) noexcept {
  amounts all;
  all.add(a.live);
  return amount_of(a, all, coming);
}

sampled_amount amount_of_process(live_sum const& sum, contribution const& coming) noexcept {
  sums s;
  s.add(sum);
  s.add(coming);
  return s.with_interval(interval_of_process());
}

sampled_amount amount_of_process() noexcept {
  sums s;
  s.add(minor_in_use());
  s.add(process_totals.major);
  return s.with_interval(interval_of_process());
}

sampled_amount amount_of_samples(double samples, double interval) noexcept {
  const double amount = samples * interval;
  const double variance = interval > 8.0 ? amount * interval : 0.0;
  return {.value = amount,
          .variance = variance,
          .uncertain = amount,
          .unit = interval,
          .samples = static_cast<std::uint64_t>(samples)};
}

}  // namespace memprof::engine
