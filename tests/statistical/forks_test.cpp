// SPDX-License-Identifier: MIT
// Forked children draw samples of their own: their numbers scatter as independent ones do. Fails
// for correct code once in 1e11 seeds.
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "memprof/process.hpp"

#include "engine/engine.hpp"
#include "statistical/sampled_block.hpp"
#include "support/catch2.hpp"

using namespace memprof;

namespace {

constexpr double per_word = 1e-2;
constexpr int blocks = 10'000;
constexpr double all_words = 4.0 * blocks;

/// Samples that a forked child takes in as many words.
double samples_of_child() {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const std::uint64_t before = engine::sampled_so_far().samples;
    for (int i = 0; i < blocks; ++i) test::put_block(test::get_block(24), 24);
    const std::uint64_t taken = engine::sampled_so_far().samples - before;
    _exit(write(ends[1], &taken, sizeof taken) == sizeof taken ? 0 : 1);
  }
  std::uint64_t taken = 0;
  REQUIRE(read(ends[0], &taken, sizeof taken) == sizeof taken);
  int status = -1;
  REQUIRE((waitpid(child, &status, 0) == child && status == 0));
  close(ends[0]);
  close(ends[1]);
  return static_cast<double>(taken);
}

}  // namespace

TEST_CASE("forked children draw independent samples") {
  set_process_sampling_rate(sampling_rate{per_word});
  set_seed(91);
  constexpr int children = 60;
  std::vector<double> seen;
  double mean = 0;
  for (int i = 0; i < children; ++i) {
    seen.push_back(samples_of_child());
    mean += seen.back() / children;
  }
  set_process_sampling_rate(default_sampling_rate);
  double squares = 0;
  for (const double n : seen) squares += (n - mean) * (n - mean);
  const double variance = all_words * per_word * (1 - per_word);
  const boost::math::chi_squared law(children - 1);
  const double x = squares / variance;
  // Children that share a part c of their samples scatter by 1 - c of the variance only.
  const double least = quantile(law, 5e-12);
  std::printf(
      "%d children: scatter %.2f of what is expected, mean %+.2f %% (finds %.0f %% of shared "
      "samples)\n",
      children, x / (children - 1), 100 * (mean / (all_words * per_word) - 1),
      100 * (1 - least / (children - 1)));
  CHECK(cdf(law, x) > 5e-12);
  CHECK(cdf(complement(law, x)) > 5e-12);
}
