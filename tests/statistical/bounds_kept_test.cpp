// SPDX-License-Identifier: MIT
// The engine against its bounds: how many tasks are interrupted although they allocate what is
// safe, and how many are not although they allocate what is certain. Both numbers are binomial,
// with the very probabilities that bounds.hpp gives; each test fails for correct code once in 1e9
// runs.
#include <atomic>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <cstdio>
#include <thread>
#include <vector>

#include "memprof/bounds.hpp"
#include "memprof/limits.hpp"
#include "memprof/process.hpp"

#include "statistical/sampled_block.hpp"
#include "support/catch2.hpp"

using namespace memprof;
using memprof::test::get_block;
using memprof::test::put_block;

namespace {

constexpr int usual_tasks = 400;
constexpr double risk = 0.05;

/// Allocates exactly so many counted words, in blocks of 65 and a smaller one.
void allocate_exactly(std::int64_t total) {
  constexpr std::int64_t usual = 65;
  while (total > 0) {
    // No block counts 1 word, so none may be left over.
    const std::int64_t w = total > usual + 1 ? usual : total > usual ? usual - 1 : total;
    const auto size = static_cast<std::size_t>(8 * (w - 1));
    put_block(get_block(size), size);
    total -= w;
  }
}

/// Whether a task that allocates `total` in so many threads is interrupted.
bool is_interrupted_in(words limit, words total, int threads) {
  budget b({.allocations = limit});
  std::atomic<int> interrupted{0};
  const auto part = [&](std::int64_t n) { interrupted += !b.run([n] { allocate_exactly(n); }); };
  const std::int64_t share = total.count() / threads;
  {
    std::vector<std::jthread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back(part, share);
    part(total.count() - share * (threads - 1));
  }
  return interrupted > 0;
}

/// The number of `tasks`, each with probability p, is as likely as that.
void check_binomial(int seen, double p, int tasks) {
  const boost::math::binomial law(tasks, p);
  const int most = static_cast<int>(quantile(complement(law, 0.5e-9)));
  const int least = static_cast<int>(quantile(law, 0.5e-9));
  CHECK(seen <= most);
  CHECK(seen >= least);
}

}  // namespace

TEST_CASE("early and late interrupts are as rare as the bounds say") {
  const double per_word = GENERATE(1e-5, 1e-4, 1e-3, 1e-2);
  const int threads = GENERATE(1, 4);
  const std::int64_t k = 20;
  const sampling_rate rate{per_word};
  set_limit_sampling_rate(rate);
  set_seed(51);
  const words limit{static_cast<std::int64_t>(static_cast<double>(k) / per_word + 0.5)};
  const words safe = safe_allocation(limit, risk, rate);
  const words certain = certain_interruption(limit, risk, rate);
  REQUIRE(samples_to_interrupt(limit, rate) == k);
  int early = 0;
  int late = 0;
  // Where a task is short, as many as show a rate that is 2 % too high or too low.
  const int tasks = per_word >= 1e-2 && threads == 1 ? 40'000 : usual_tasks;
  for (int i = 0; i < tasks; ++i) {
    early += is_interrupted_in(limit, safe, threads);
    late += !is_interrupted_in(limit, certain, threads);
  }
  set_limit_sampling_rate(default_sampling_rate);
  CAPTURE(per_word, threads, safe.count(), certain.count(), early, late);
  check_binomial(early, probability_interrupted(limit, safe, rate), tasks);
  check_binomial(late, probability_not_interrupted(limit, certain, rate), tasks);
  const auto chance = [&](double factor) {
    return detail::statistics::tails(k, safe.count(), per_word * factor).upper();
  };
  const double slope = (chance(1.001) - chance(0.999)) / 0.002;
  const double p = chance(1);
  std::printf("early interrupts, k = 20, at %g: %d tasks find a bias of the rate of %.1f %%\n",
              per_word, tasks, 100 * 6.1 * std::sqrt(p * (1 - p) / tasks) / slope);
}

// 800 tasks, each wrong with 1e-12.
TEST_CASE("what is safe is not interrupted, what is certain is") {
  const int threads = GENERATE(1, 4);
  const sampling_rate rate{1e-3};
  set_limit_sampling_rate(rate);
  set_seed(52);
  const words limit{100'000};
  int early = 0;
  int late = 0;
  for (int i = 0; i < usual_tasks; ++i) {
    early += is_interrupted_in(limit, safe_allocation(limit, 1e-12, rate), threads);
    late += !is_interrupted_in(limit, certain_interruption(limit, 1e-12, rate), threads);
  }
  set_limit_sampling_rate(default_sampling_rate);
  CHECK(early == 0);
  CHECK(late == 0);
}
