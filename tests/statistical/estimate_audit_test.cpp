// SPDX-License-Identifier: MIT
// The audit of the estimates: what live memory, limits and a profile
// at lower rates make of the samples has the right mean, block by block. Correct code fails a check
// once in 1e10 seeds; printed is the smallest bias that would be found as often as not.
#include <cmath>
#include <cstdio>
#include <vector>

#include "memprof/limits.hpp"
#include "memprof/process.hpp"
#include "memprof/sampling.hpp"

#include "engine/engine.hpp"
#include "statistical/sampled_block.hpp"
#include "support/audited.hpp"
#include "support/catch2.hpp"

using namespace memprof;
using memprof::engine::consumer;
using memprof::engine::residual;
using memprof::test::get_block;
using memprof::test::put_block;

namespace {

constexpr double false_alarm = 1e-10;

/// What one consumer made of the samples since this was made.
class observed_residual {
 public:
  explicit observed_residual(consumer who) : who_(who) {}

  [[nodiscard]] residual since() const {
    residual now = engine::read_residual(who_);
    now.expected -= before_.expected;
    now.excess -= before_.excess;
    now.variance -= before_.variance;
    return now;
  }
  void check(char const* what) const {
    const residual r = since();
    // x^2 = 2 c (v + x), c = -log(false_alarm / 2): the least excess that would fail.
    const double c = -std::log(false_alarm / 2);
    const double least = c + std::sqrt(c * c + 2 * c * r.variance) + 1e-5 * r.expected;
    std::printf("%-44s %.0f samples, excess %+.1f +- %.1f, bias %+.4f %% (finds %.4f %%)\n", what,
                r.expected, r.excess, std::sqrt(r.variance), 100 * r.excess / r.expected,
                100 * least / r.expected);
    CAPTURE(what, r.expected, r.excess, r.variance);
    CHECK(r.expected > 1000);
    CHECK(r.p_value() > false_alarm);
  }

 private:
  consumer who_;
  residual before_ = engine::read_residual(who_);
};

void pairs_of(std::size_t size, int count) {
  for (int i = 0; i < count; ++i) put_block(get_block(size), size);
}

}  // namespace

TEST_CASE("audit of estimates: weights have the mean of the samples") {
  set_seed(81);
  for (const double per_word : {0.9, 0.3, 1e-2, 1e-3}) {
    set_process_sampling_rate(sampling_rate{per_word});
    const observed_residual live(consumer::live);
    const auto words = static_cast<int>(per_word > 0.1 ? 200'000 : 20'000 / per_word);
    pairs_of(16, words / 3);
    pairs_of(400, words / 51);
    pairs_of(static_cast<std::size_t>(8 / per_word), static_cast<int>(words * per_word));
    char what[64];
    std::snprintf(what, sizeof what, "weights at a rate of %g", per_word);
    live.check(what);
  }
  set_process_sampling_rate(default_sampling_rate);
}

TEST_CASE("audit of estimates: consumers at lower rates keep their share of the samples") {
  set_seed(82);
  set_limit_sampling_rate(sampling_rate{0.03});
  const observed_residual profiled(consumer::profile), counted(consumer::limits);
  {
    set_process_sampling_rate(sampling_rate{0.1});
    memprof::profile p = memprof::start(
        sampling_rate{0.01},
        tracker<int, int>{.alloc_minor = [](allocation const&) -> std::optional<int> { return 1; }},
        0);
    const auto r = limit_allocations(max_allocation_limit, [] {
      pairs_of(16, 3'000'000);
      pairs_of(8000, 6'000);
    });
    CHECK(r);
    p.stop();
  }
  set_process_sampling_rate(default_sampling_rate);
  set_limit_sampling_rate(default_sampling_rate);
  profiled.check("thinned from 0.1 to 0.01, a profile");
  counted.check("thinned from 0.1 to 0.03, a limit");
}

// An interrupt comes at blocks that have many samples. They are not tracked, and are not missed.
TEST_CASE("audit of estimates: refused blocks do not count") {
  set_seed(83);
  set_limit_sampling_rate(sampling_rate{1e-3});
  const observed_residual live(consumer::live);
  for (int i = 0; i < 10'000; ++i) {
    (void)limit_allocations(bytes{20'000}, [] { pairs_of(2000, 1000); });
  }
  set_limit_sampling_rate(default_sampling_rate);
  live.check("weights, tasks that are interrupted");
}

TEST_CASE("audit of estimates: a block that is not tracked is lost unless it was refused") {
  set_process_sampling_rate(sampling_rate{1.0});
  residual before = engine::read_residual(consumer::live);
  const auto excess = [&] {
    const residual now = engine::read_residual(consumer::live);
    const double x = now.excess - before.excess;
    before = now;
    return x;
  };
  test::count_block(100);
  CHECK(excess() == -100);
  {
    engine::current.countdown -= 100;
    const engine::event refused{100};
    engine::forgo_block();
  }
  CHECK(excess() == 0);
  pairs_of(100, 10);
  CHECK(excess() == 0);
  set_process_sampling_rate(default_sampling_rate);
}

TEST_CASE("audit of estimates: the p-value is 1 without an excess, and tiny for a large one") {
  CHECK(residual{}.p_value() == 1);
  CHECK(residual{.expected = 1e6, .excess = 9, .variance = 0}.p_value() == 1);  // rounding
  CHECK(residual{.expected = 1e6, .excess = 300, .variance = 1e4}.p_value() > 0.01);
  CHECK(residual{.expected = 1e6, .excess = -1000, .variance = 1e4}.p_value() < 1e-9);
  CHECK(residual{.expected = 100, .excess = -50, .variance = 0}.p_value() < 1e-9);
}
