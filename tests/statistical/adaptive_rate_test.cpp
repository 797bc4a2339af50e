// SPDX-License-Identifier: MIT
// An adaptive rate, finer near the limit: totals stay unbiased, and a queue that balloons is
// stopped nearer to its limit than at a fixed rate that takes as many samples.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
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

constexpr std::size_t block_size = 120;  // counts 16 words, 128 bytes

/// First in, first out, and a little longer all the time.
class ballooning_queue {
 public:
  explicit ballooning_queue(std::size_t capacity) : blocks_(capacity, nullptr) {}
  ballooning_queue(ballooning_queue const&) = delete;
  ballooning_queue& operator=(ballooning_queue const&) = delete;
  ~ballooning_queue() {
    while (live() > 0) pop();
  }
  void push() { blocks_[back_++ % blocks_.size()] = get_block(block_size); }
  void pop() { put_block(blocks_[front_++ % blocks_.size()], block_size); }
  [[nodiscard]] std::size_t live() const { return back_ - front_; }
  [[nodiscard]] double bytes() const { return static_cast<double>(live()) * 128.0; }

  /// Grows by one block each time `turnover` were put in, up to `most` bytes.
  void balloon(double turnover, double most) {
    for (double length = 1.0; bytes() < most; length += 1.0 / turnover) {
      push();
      while (static_cast<double>(live()) > length) pop();
    }
  }

 private:
  std::vector<void*> blocks_;
  std::size_t front_ = 0;
  std::size_t back_ = 0;
};

constexpr double limit_bytes = 1 << 20;
constexpr std::size_t capacity = 20'000;

struct trial {
  double overshoot = 0.0;  ///< root mean square of what was live when it was stopped over the limit
  double samples = 0.0;    ///< per word
};

trial stop_queues(sampling_rate rate, std::optional<sampling_rate> finest, int runs) {
  set_limit_sampling_rate(rate);
  double squares = 0.0;
  double words_allocated = 0.0;
  const std::uint64_t before = counters().samples;
  for (int i = 0; i < runs; ++i) {
    ballooning_queue queue(capacity);
    budget b({.memory = bytes{1 << 20}, .finest_rate = finest});
    const auto r = b.run([&] { queue.balloon(30.0, 4 * limit_bytes); });
    REQUIRE_FALSE(r);
    const double off = (queue.bytes() - limit_bytes) / limit_bytes;
    squares += off * off;
    words_allocated += static_cast<double>(b.allocated().count()) / 8.0;
  }
  set_limit_sampling_rate(default_sampling_rate);
  return {std::sqrt(squares / runs),
          static_cast<double>(counters().samples - before) / words_allocated};
}

}  // namespace

// 400 estimates at a moment that does not depend on the samples. Their mean is off by more than 6.2
// standard errors once in 1e9 runs.
TEST_CASE("estimates are unbiased while the rate adapts") {
  set_limit_sampling_rate(sampling_rate{2e-4});
  set_seed(41);
  constexpr int runs = 400;
  double sum = 0.0;
  double squares = 0.0;
  for (int i = 0; i < runs; ++i) {
    ballooning_queue queue(capacity);
    // Three quarters of a limit that is far enough not to be hit.
    budget b({.memory = bytes{2 << 20}, .finest_rate = sampling_rate{1e-2}});
    REQUIRE(b.run([&] { queue.balloon(3.0, 0.75 * 2 * limit_bytes); }));
    const double off = static_cast<double>(b.live().value.count()) - queue.bytes();
    sum += off;
    squares += off * off;
  }
  set_limit_sampling_rate(default_sampling_rate);
  std::printf("an adaptive rate: finds a bias of %.1f %%\n",
              100 * 6.2 * std::sqrt(squares) / runs / (0.75 * 2 * limit_bytes));
  CHECK(std::abs(sum / std::sqrt(squares)) < 6.2);
}

TEST_CASE("an adaptive rate stops a ballooning queue nearer to its limit for the same cost") {
  set_seed(42);
  constexpr int runs = 150;
  const trial sharp = stop_queues(sampling_rate{2e-4}, sampling_rate{4e-3}, runs);
  const trial fixed = stop_queues(sampling_rate{sharp.samples}, std::nullopt, runs);
  std::printf(
      "off by %.1f %% of the limit (adaptive), %.1f %% (fixed), at %.2e and %.2e samples "
      "per word\n",
      100 * sharp.overshoot, 100 * fixed.overshoot, sharp.samples, fixed.samples);
  CHECK(std::abs(fixed.samples / sharp.samples - 1.0) < 0.1);
  // The errors of 150 runs are known to 6 %, and they differ by a factor of two.
  CHECK(sharp.overshoot < 0.75 * fixed.overshoot);
}
