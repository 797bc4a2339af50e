// SPDX-License-Identifier: MIT
//
// When a limit counts as passed, and what is printed then: of amounts that are known, and in
// simulated runs.
#include "tools/run/limit_levels.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "recorder/live_blocks.hpp"
#include "relay/relay.hpp"
#include "support/catch2.hpp"
#include "tools/run/limit_report.hpp"

using namespace memprof;
using tools::limit_level;
using tools::limit_levels;

namespace {

/// Blocks of three sizes that come and go while their sum stays: the sampled ones are told to
/// `live_blocks` as a program tells them.
class simulated_program {
 public:
  static constexpr double rate = 1e-3;

  simulated_program(std::uint64_t seed) : random_(seed), live_(1) {
    const relay::text_words text("/bin/simulated");
    push(relay::record_head{.kind = relay::record_kind::begin, .of = text.bytes(), .time = 1},
         std::array<std::uint64_t, 2>{std::bit_cast<std::uint64_t>(rate), 7},
         {text.words().begin(), text.words().end()});
    for (std::uint64_t const length : {15u, 999u, 49'999u}) {
      for (std::uint64_t words = 0; words < 200'000; words += length + 1) allocate(length);
    }
  }

  [[nodiscard]] double true_bytes() const { return 8.0 * static_cast<double>(words_); }
  [[nodiscard]] recorder::live_amount amount() const { return live_.amount(); }

  /// Frees a block and allocates one of its size.
  void replace_one() {
    const std::size_t i = random_() % blocks_.size();
    free(i);
    place(i, blocks_[i].length);
  }
  void allocate(std::uint64_t length) {
    words_ += length + 1;
    blocks_.push_back({});
    place(blocks_.size() - 1, length);
  }

 private:
  struct block {
    std::uint64_t length = 0;
    bool sampled = false;
  };

  template <std::size_t N>
  void push(relay::record_head const& head, std::array<std::uint64_t, N> const& body,
            std::vector<std::uint64_t> const& more = {}) {
    const auto first = relay::record(head, body, more.size());
    words_of_record_.assign(first.begin(), first.end());
    words_of_record_.insert(words_of_record_.end(), more.begin(), more.end());
    relay::popped_record r;
    if (relay::popped_record::read(words_of_record_, r)) live_.take(r);
  }
  void place(std::size_t i, std::uint64_t length) {
    const double q = -std::expm1(static_cast<double>(length + 1) * std::log1p(-rate));
    blocks_[i] = {length, std::uniform_real_distribution<double>()(random_) < q};
    if (!blocks_[i].sampled) return;
    push(relay::record_head{.kind = relay::record_kind::allocation,
                            .of = static_cast<std::uint32_t>(i + 1),
                            .time = 2},
         std::array<std::uint64_t, 3>{length, 1, 1}, {0x1234});
  }
  void free(std::size_t i) {
    if (!blocks_[i].sampled) return;
    push(relay::record_head{.kind = relay::record_kind::collection,
                            .of = static_cast<std::uint32_t>(i + 1)},
         std::array<std::uint64_t, 0>{});
  }

  std::mt19937_64 random_;
  recorder::live_blocks live_;
  std::vector<block> blocks_;
  std::vector<std::uint64_t> words_of_record_;
  std::uint64_t words_ = 0;
};

/// "27.2 MiB (26.4 MiB to 28.1 MiB with 95 %)" as it is printed.
struct printed_amount {
  double value = 0, lower = 0, upper = 0;
};
printed_amount printed(recorder::live_amount const& live) {
  tools::limit_report r;
  r.live = live;
  r.rate = simulated_program::rate;
  r.cause = "over the limit";
  const std::string text = tools::report_text(r, nullptr);
  printed_amount p;
  const std::size_t at = text.find("in use by malloc ");
  REQUIRE(at != std::string::npos);
  REQUIRE(std::sscanf(text.c_str() + at, "in use by malloc %lf MiB (%lf MiB to %lf MiB with 95 %%)",
                      &p.value, &p.lower, &p.upper) == 3);
  return p;
}

}  // namespace

TEST_CASE("limit_levels: exact amounts pass a limit as soon as they are over it") {
  limit_levels l(80, 100);
  CHECK(l.look({80, 0}) == limit_level::none);
  CHECK(l.look({81, 0}) == limit_level::soft);
  CHECK(l.look({90, 0}) == limit_level::none);
  CHECK(l.look({101, 0}) == limit_level::hard);
  CHECK(l.look({140, 0}) == limit_level::none);
  CHECK(l.look({152, 0}) == limit_level::hard);  // grown by half
  CHECK(l.look({71, 0}) == limit_level::none);
  CHECK(l.look({81, 0}) == limit_level::soft);  // it was below nine tenths of both
  CHECK(l.look({101, 0}) == limit_level::hard);
}

// The risk is set to 0.02, so that wrong hits can be counted at all: of 2000 runs at most 40 are
// expected to have one, and more than 85 happen in correct code with a chance of 1e-10. Seed 20.
TEST_CASE("limit_levels: runs that stay just below the limit are seldom said to be over it") {
  constexpr int runs = 2000;
  constexpr double risk = 0.02;
  int wrong = 0;
  int naive = 0;
  for (int run = 0; run < runs; ++run) {
    simulated_program program(20'000'000 + static_cast<std::uint64_t>(run));
    limit_levels levels(1.001 * program.true_bytes(), 1.001 * program.true_bytes(), risk);
    bool hit = false;
    bool above = false;
    for (int look = 0; look < 100; ++look) {
      for (int i = 0; i < 400; ++i) program.replace_one();
      hit |= levels.look(program.amount()) != limit_level::none;
      above |= program.amount().bytes > levels.hard();
    }
    wrong += hit ? 1 : 0;
    naive += above ? 1 : 0;
  }
  INFO(wrong << " wrong hits of " << runs << ", and " << naive << " estimates over the limit");
  CHECK(wrong <= 85);
  CHECK(naive > runs / 2);  // the limit is near enough to be passed by chance
}

// Of 1000 runs that grow by 0.02 % a look, through a limit with the risk of `memprof run`. The
// interval of 95 % that the report prints misses in 5 % of them, by its rounded ends in up to 1 %
// more: with 6 %, more than 107 misses happen in correct code with a chance of 1e-9. Seed 30.
TEST_CASE("limit_levels: what is printed at the limit") {
  constexpr int runs = 1000;
  int misses = 0;
  int early = 0;
  double latest = 0;
  double sum = 0;
  for (int run = 0; run < runs; ++run) {
    simulated_program program(30'000'000 + static_cast<std::uint64_t>(run));
    const double limit = 1.1 * program.true_bytes();
    limit_levels levels(limit, limit);
    while (levels.look(program.amount()) == limit_level::none) {
      for (int i = 0; i < 8; ++i) program.allocate(15);
    }
    const double at = program.true_bytes();
    early += at <= limit ? 1 : 0;
    latest = std::max(latest, at / limit);
    sum += at / limit;
    const printed_amount p = printed(program.amount());
    const double mebibytes = at / (1 << 20);
    misses += p.lower <= mebibytes && mebibytes <= p.upper ? 0 : 1;
    CHECK(p.lower > limit / (1 << 20));
  }
  INFO(misses << " misses of " << runs << ", " << early << " early, at " << sum / runs
              << " of the limit in the mean, at " << latest << " at the latest");
  CHECK(early <= 2);  // each by a chance of 1e-6 at most: three are less likely than 2e-10
  CHECK(misses <= 107);
  CHECK(misses >= 12);
  CHECK(latest < 1.5);
}
