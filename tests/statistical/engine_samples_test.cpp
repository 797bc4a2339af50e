// SPDX-License-Identifier: MIT
// What the engine samples, seen from an allocating program.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <pthread.h>
#include <vector>

#include "memprof/process.hpp"

#include "engine/engine.hpp"
#include "statistical/sampled_block.hpp"
#include "support/catch2.hpp"
#include "support/goodness_of_fit.hpp"

using namespace memprof;
using memprof::test::get_block;
using memprof::test::put_block;

namespace {

std::uint64_t sampled_blocks() noexcept { return engine::sampled_so_far().blocks; }
std::uint64_t samples() noexcept { return engine::sampled_so_far().samples; }

/// How many of so many threads have their first and only block sampled.
std::uint64_t hits_of_threads(std::uint64_t threads, std::size_t size) {
  static std::uint64_t hits = 0;
  hits = 0;
  for (std::uint64_t i = 0; i < threads; ++i) {
    pthread_t thread{};
    const auto body = [](void* bytes) -> void* {
      const std::size_t wanted = *static_cast<std::size_t*>(bytes);
      const std::uint64_t before = sampled_blocks();
      void* block = get_block(wanted);
      hits += sampled_blocks() - before;
      put_block(block, wanted);
      return nullptr;
    };
    REQUIRE(pthread_create(&thread, nullptr, body, &size) == 0);
    pthread_join(thread, nullptr);
  }
  return hits;
}

struct rate_for_a_test {
  explicit rate_for_a_test(double per_word, std::uint64_t seed) {
    set_process_sampling_rate(sampling_rate{per_word});
    set_seed(seed);
  }
  ~rate_for_a_test() { set_process_sampling_rate(default_sampling_rate); }
};

}  // namespace

// Blocks of nothing count one word, so blocks between sampled ones are the gaps themselves.
// Fails for correct code once in 1e11 seeds.
TEST_CASE("gaps between samples of the running engine are geometric") {
  const double per_word = GENERATE(0.3, 1e-2, 1e-3);
  const rate_for_a_test rate(per_word, 5);
  std::vector<std::int64_t> gaps(20'000);
  for (std::int64_t& gap : gaps) {
    const std::uint64_t before = sampled_blocks();
    gap = 0;
    do {
      put_block(get_block(0), 0);
      ++gap;
    } while (sampled_blocks() == before);
  }
  CHECK(test::geometric_fit_p(gaps, per_word) > test::false_alarm);
  // The fit looks at the shape, too; the mean alone, of more gaps, finds less of a bias.
  if (per_word < 1e-2) return;
  const std::uint64_t before = samples();
  const auto all = static_cast<std::uint64_t>(125'000 / per_word);
  for (std::uint64_t i = 0; i < all; ++i) put_block(get_block(0), 0);
  CHECK(test::binomial_test_p(samples() - before, all, per_word) > test::false_alarm);
  test::print_least_bias("rate, blocks of one word",
                         std::sqrt((1 - per_word) / (per_word * static_cast<double>(all))));
}

// Fails for correct code once in 1e11 seeds.
TEST_CASE("samples in a block of w words are binomial") {
  const double per_word = GENERATE(1e-4, 1e-2, 0.5);
  const std::uint64_t w = GENERATE(9u, 513u, 100'001u);
  const rate_for_a_test rate(per_word, 6);
  const std::size_t size = (w - 1) * 8;
  std::uint64_t hits = 0;
  const std::uint64_t blocks = w < 100 ? 200'000 : 30'000;  // small ones must be hit often enough
  std::uint64_t marks = 0;
  for (std::uint64_t i = 0; i < blocks; ++i) {
    const std::uint64_t before = sampled_blocks();
    const std::uint64_t marks_before = samples();
    void* block = get_block(size);
    hits += sampled_blocks() - before;
    marks += samples() - marks_before;
    put_block(block, size);
  }
  const double missed = std::exp(static_cast<double>(w) * std::log1p(-per_word));
  CAPTURE(per_word, w, hits, marks);
  if (missed > 1e-12) CHECK(test::binomial_test_p(hits, blocks, 1 - missed) > test::false_alarm);
  CHECK(test::binomial_test_p(marks, blocks * w, per_word) > test::false_alarm);
  char what[64];
  std::snprintf(what, sizeof what, "samples in blocks of %d words at %g", static_cast<int>(w),
                per_word);
  test::print_least_bias(what,
                         std::sqrt((1 - per_word) / (per_word * static_cast<double>(blocks * w))));
}

TEST_CASE("rate 1 samples every word, rate 0 none") {
  {
    const rate_for_a_test rate(1.0, 1);
    for (std::size_t size : {0u, 1u, 7u, 8u, 9u, 64u, 4096u, 100'000u, 3'000'000u}) {
      const std::uint64_t blocks_before = sampled_blocks();
      const std::uint64_t before = samples();
      void* block = get_block(size);
      CHECK(samples() - before == (size + 15) / 8);
      CHECK(sampled_blocks() - blocks_before == 1);
      put_block(block, size);
    }
  }
  const rate_for_a_test rate(0.0, 1);
  const std::uint64_t before = samples();
  for (int i = 0; i < 100'000; ++i) put_block(get_block(1000), 1000);
  CHECK(samples() == before);
}

// Each thread's first and only allocation counts 1000 words, so it is sampled with probability
// 1 - (1-p)^1000. Fails for correct code once in 1e11 seeds.
TEST_CASE("threads that live for one allocation are sampled at the right rate") {
  const double per_word = 3e-4;
  const rate_for_a_test rate(per_word, 9);
  constexpr std::uint64_t threads = 10'000;
  const std::uint64_t hits = hits_of_threads(threads, 999 * 8);
  const double probability = 1 - std::exp(1000 * std::log1p(-per_word));
  CAPTURE(hits, probability * threads);
  CHECK(test::binomial_test_p(hits, threads, probability) > test::false_alarm);
  // 15 samples in each first block instead of 0.3: a smaller bias shows.
  const std::uint64_t before = samples();
  hits_of_threads(threads, 49'999 * 8);
  const double mean = 50'000 * per_word * threads;
  CHECK(test::binomial_test_p(samples() - before, 50'000 * threads, per_word) > test::false_alarm);
  test::print_least_bias("first blocks of threads", 1 / std::sqrt(mean));
}

// The same with 2 words at a high rate: what is wrong with a thread's first gap shows here, and is
// lost among many words. Fails for correct code once in 1e11 seeds.
TEST_CASE("threads that live for one small block are sampled at the right rate") {
  const double per_word = 0.1;
  const rate_for_a_test rate(per_word, 10);
  constexpr std::uint64_t threads = 10'000;
  const std::uint64_t hits = hits_of_threads(threads, 8);
  const double probability = 1 - (1 - per_word) * (1 - per_word);
  CAPTURE(hits, probability * threads);
  CHECK(test::binomial_test_p(hits, threads, probability) > test::false_alarm);
}

// A rate that changes in the middle: each block keeps its own, so the total stays unbiased.
// Fails for correct code once in 1e11 seeds.
TEST_CASE("live memory is unbiased across changes of the rate") {
  const double scale = GENERATE(1.0, 80.0);
  const rate_for_a_test rate(1e-3 * scale, 12);
  std::vector<void*> blocks;
  blocks.reserve(400'000);
  const double before = static_cast<double>(live_memory().value.count());
  double variance = 0;
  double truth = 0;
  for (double per_word : {1e-3 * scale, 1e-2 * scale, 2e-4 * scale, 1e-3 * scale}) {
    set_process_sampling_rate(sampling_rate{per_word});
    for (int i = 0; i < 100'000; ++i) blocks.push_back(get_block(64));
    const double w = 9;
    const double missed = std::exp(w * std::log1p(-per_word));
    truth += 100'000 * w * 8;
    variance += 100'000 * (w * 8) * (w * 8) * missed / (1 - missed);
  }
  const double seen = static_cast<double>(live_memory().value.count()) - before;
  // Before anything else allocates, as the macros of the test do.
  for (void* block : blocks) put_block(block, 64);
  const double after = static_cast<double>(live_memory().value.count());
  CAPTURE(seen, truth, std::sqrt(variance));
  CHECK(test::z_test_p(seen, truth, std::sqrt(variance)) > test::false_alarm);
  test::print_least_bias(
      scale > 1 ? "live memory, rates from 0.016 to 0.8" : "live memory, rates from 2e-4 to 1e-2",
      std::sqrt(variance) / truth);
  CHECK(after == before);  // what came in goes out to the byte
}
