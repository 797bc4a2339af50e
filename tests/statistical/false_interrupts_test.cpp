// SPDX-License-Identifier: MIT
// A false-interrupt probability is kept: tasks that take just their limit are interrupted no more
// often. Exact binomial tests that correct code fails once in 1e9 runs.
#include <array>
#include <boost/math/distributions/binomial.hpp>
#include <cstdio>
#include <utility>
#include <vector>

#include "memprof/limits.hpp"
#include "memprof/process.hpp"

#include "statistical/sampled_block.hpp"
#include "support/catch2.hpp"

using namespace memprof;
using namespace memprof::literals;
using memprof::test::get_block;
using memprof::test::put_block;

namespace {

constexpr int runs = 3000;

/// The most of `runs` that are interrupted, but for 1e-9, if each is with probability `risk`.
double most(double risk) { return quantile(complement(boost::math::binomial(runs, risk), 1e-9)); }

/// The least risk that is found instead of `risk` as often as not.
void print_least_risk(char const* what, double risk) {
  std::printf("%s: finds a risk of %.3f instead of %g\n", what, most(risk) / runs, risk);
}

}  // namespace

TEST_CASE("false interrupts of allocation limits are as rare as was said") {
  set_limit_sampling_rate(sampling_rate{1e-2});
  set_seed(31);
  for (const double risk : {0.3, 0.02}) {
    int interrupted = 0;
    int at_its_word = 0;
    for (int i = 0; i < runs; ++i) {
      const auto work = [] {
        for (int n = 0; n < 1250; ++n) put_block(get_block(56), 56);  // 10 kw, 100 samples
      };
      interrupted +=
          !run_limited({.allocations = 10_kw, .false_interrupt_probability = risk}, work);
      at_its_word += !run_limited({.allocations = 10_kw}, work);
    }
    CAPTURE(risk);
    print_least_risk("allocation limits", risk);
    CHECK(interrupted <= most(risk));
    CHECK(interrupted > runs * risk / 4);  // and no rarer than the steps of a count make it
    CHECK(at_its_word > runs * 2 / 5);
  }
  set_limit_sampling_rate(default_sampling_rate);
}

// 10 000 lives at the limit to the word: 40 S of live blocks of S/2, each replaced 15 times. A risk
// for each look would interrupt hundreds of them, a risk for the life at most 10 on average, but
// for 1e-9 at most 33.
TEST_CASE("false interrupts of memory limits: the risk is that of a whole life") {
  constexpr int lives = 10'000;
  constexpr int blocks = 80;
  constexpr int turnovers = 15;
  constexpr std::size_t size = 192;  // 25 words
  constexpr double risk = 1e-3;
  set_limit_sampling_rate(sampling_rate{0.02});
  set_seed(33);
  int interrupted = 0;
  int at_its_word = 0;
  std::array<void*, blocks> ring{};
  const auto life = [&] {
    for (int n = 0; n < turnovers * blocks; ++n) {
      void*& slot = ring[static_cast<std::size_t>(n % blocks)];
      if (slot != nullptr) put_block(std::exchange(slot, nullptr), size);
      slot = get_block(size);
    }
  };
  const auto end_life = [&] {
    for (void*& slot : ring) {
      if (slot != nullptr) put_block(std::exchange(slot, nullptr), size);
    }
  };
  limits l{.memory = words{blocks * 25}, .false_interrupt_probability = risk};
  for (int i = 0; i < lives; ++i) {
    interrupted += !run_limited(l, life);
    end_life();
  }
  l.false_interrupt_probability.reset();
  for (int i = 0; i < 100; ++i) {
    at_its_word += !run_limited(l, life);
    end_life();
  }
  set_limit_sampling_rate(sampling_rate{0.0});
  const double most = quantile(complement(boost::math::binomial(lives, risk), 1e-9));
  std::printf(
      "falsely interrupted: %d of %d lives at a risk of %g (at most %g: finds a risk of %g); "
      "without: %d of 100\n",
      interrupted, lives, risk, most, most / lives, at_its_word);
  CHECK(interrupted <= most);
  CHECK(at_its_word == 100);
}

TEST_CASE("false interrupts of memory limits are as rare as was said, for blocks of all sizes") {
  set_limit_sampling_rate(sampling_rate{1e-2});
  set_seed(32);
  for (const std::size_t size : {std::size_t{56}, std::size_t{600}, std::size_t{3000}}) {
    const std::int64_t words_each = block_words(bytes(static_cast<std::int64_t>(size))).count();
    const std::int64_t blocks = 10'000 / words_each;
    const bytes limit{words{blocks * words_each}};
    int interrupted = 0;
    std::vector<void*> kept;
    kept.reserve(static_cast<std::size_t>(blocks));
    for (int i = 0; i < runs; ++i) {
      interrupted += !run_limited({.memory = limit, .false_interrupt_probability = 0.02}, [&] {
        for (std::int64_t n = 0; n < blocks; ++n) kept.push_back(get_block(size));
      });
      for (void* block : kept) put_block(block, size);
      kept.clear();
    }
    CAPTURE(size, interrupted);
    print_least_risk("memory limits", 0.02);
    CHECK(interrupted <= most(0.02));
  }
  set_limit_sampling_rate(default_sampling_rate);
}
