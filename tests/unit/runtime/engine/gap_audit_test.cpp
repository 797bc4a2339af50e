// SPDX-License-Identifier: MIT
// What the audit enters: each word once, in the right cell, whatever happened to its gap. Whether
// the p-value is right is tests/statistical/audit_test.cpp's business.
#include "engine/gap_audit.hpp"

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "engine/engine.hpp"
#include "support/audited.hpp"
#include "support/catch2.hpp"

using namespace memprof::engine;
using memprof::sampling::geometric_distribution;
using memprof::sampling::tally;
using memprof::test::audited;
using memprof::test::count_block;

namespace {

struct rate {
  explicit rate(double per_word) {
    ensure_started();
    set(per_word);
  }
  ~rate() { set(1e-4); }
  static void set(double per_word) {
    configure_process_rate(per_word);
    rearm();
  }
};

std::uint64_t samples_so_far() { return sampled_so_far().samples; }

}  // namespace

TEST_CASE("each word enters the bin of its age, each sample that of its word") {
  std::thread([] {  // an audit of its own, on a thread that counts nothing
    const geometric_distribution law(1e-3);
    gap_audit audit;
    const audited seen;
    audit.change_law(5000, law);
    audit.take_samples(8000, 8000, 1);  // age 3000
    audit.pass(8100);                   // a look in the middle of the gap
    audit.take_samples(9000, 9500, 4);  // age 1000, and 3 more in 500 words
    audit.pass(9540);                   // another one, and the gap is dropped:
    audit.change_law(9550, geometric_distribution(1e-2));
    audit.take_samples(9551, 9551, 1);
    audit.take_block(100, 7);
    audit.hand_over();

    // Bins up to 32, 64, ..., 2048 words, and the rest: of the gaps of 3000, 1000 and 50 words.
    const double words[] = {32 + 32 + 32, 32 + 32 + 18, 64 + 64, 128 + 128, 256 + 256,
                            512 + 488,    1024,         952,     500};
    const std::uint64_t samples[] = {1, 0, 0, 0, 0, 1, 0, 1, 3 + 7};
    for (std::size_t i = 0; i < audit_cells; ++i) {
      CAPTURE(i);
      const double more = i == 0 ? 1 : i == age_bins ? 100 : 0;  // at 1e-2
      CHECK(seen.cell(i).samples == samples[i]);
      CHECK(seen.cell(i).expected == Approx(words[i] * 1e-3 + more * 1e-2));
      CHECK(seen.cell(i).squares == Approx(words[i] * 1e-6 + more * 1e-4));
    }
    CHECK(seen.words() == 4551 + 100);
  })
      .join();
}

TEST_CASE("every word that passes is audited, at its rate, and every sample") {
  const rate r(1e-3);
  const audited seen;
  const std::uint64_t before = samples_so_far();
  double expected = 0;
  double squares = 0;
  std::int64_t words = 0;
  for (const double per_word : {1e-3, 0.3, 1e-5, 0.99, 2e-4}) {
    rate::set(per_word);
    for (std::int64_t i = 0; i < 3000; ++i) {
      const std::int64_t w = i % 7 == 0 ? 5000 : i % 90 + 1;
      count_block(w);
      words += w;
      expected += static_cast<double>(w) * per_word;
      squares += static_cast<double>(w) * per_word * per_word;
      if (i % 501 == 0) {
        CHECK(seen.words() == words);  // between samples, too
        const muted_section muted;
        count_block(1'000'000);
        CHECK(seen.words() == words);
      }
    }
  }
  CHECK(seen.words() == words);
  CHECK(seen.all().samples == samples_so_far() - before);
  CHECK(seen.all().expected == Approx(expected).epsilon(1e-9));
  CHECK(seen.all().squares == Approx(squares).epsilon(1e-9));
}

TEST_CASE("rates 0 and 1 are not audited: nothing is random there") {
  const rate r(0.0);
  const audited seen;
  for (int i = 0; i < 1000; ++i) count_block(5000);
  rate::set(1.0);
  for (int i = 0; i < 1000; ++i) count_block(50);
  rate::set(1e-3);
  CHECK(seen.words() == 0);
  CHECK(seen.all().samples == 0);
  count_block(77);
  CHECK(seen.words() == 77);
}

TEST_CASE("events without samples, of an exact limit say, change nothing in the audit") {
  const rate r(1e-3);
  const audited seen;
  std::int64_t words = 0;
  for (int i = 0; i < 20'000; ++i) {
    current.wakeup = position_now();  // each allocation is an event
    rearm();
    count_block(3);
    words += 3;
  }
  current.wakeup = std::int64_t{1} << 62;
  rearm();
  CHECK(seen.words() == words);
  CHECK(seen.all().expected == Approx(60));
}

TEST_CASE("a thread that ends leaves all its words, however few") {
  const rate r(1e-4);
  const audited seen;
  const std::uint64_t before = samples_so_far();
  for (int i = 0; i < 300; ++i) {
    std::thread([] { count_block(777); }).join();
  }
  CHECK(seen.words() == 300 * 777);
  CHECK(seen.all().samples == samples_so_far() - before);
}

// Whether a thread that lives has handed over must not depend on its samples: at a rate of one
// sample in 10 to 1000 Mw it hands over at the very same blocks.
TEST_CASE("a thread that lives is audited by the 2^20 words") {
  const double per_word = GENERATE(1e-9, 1e-6, 1e-3);
  const rate r(per_word);
  const audited seen;
  std::atomic<int> turn{0};
  const auto wait_for = [&](int t) {
    while (turn.load() != t) std::this_thread::yield();
  };
  std::thread other([&] {
    for (std::int64_t counted = 0; counted <= hand_over_interval; counted += 1000) {
      if (counted + 1000 > hand_over_interval) {
        turn.store(1);
        wait_for(2);
      }
      count_block(1000);
    }
    turn.store(3);
    wait_for(4);
    count_block(123);
  });
  wait_for(1);
  CHECK(seen.words() == 0);
  turn.store(2);
  wait_for(3);
  CHECK(seen.words() == 1'049'000);
  turn.store(4);
  other.join();
  CHECK(seen.words() == 1'049'123);
}

TEST_CASE("what a thread allocates after its exit began is not audited, sampled or not") {
  const rate r(0.5);
  const audited seen;
  std::thread([] {
    count_block(100);
    current.audit.close(position_now());  // as the destructor of the thread's key does
    for (int i = 0; i < 1000; ++i) count_block(10);
    current.audit.change_law(position_now(), geometric_distribution(0.1));
    count_block(1000);
  }).join();
  CHECK(seen.words() == 100);
}

TEST_CASE("a forked child's audit is its own") {
  const rate r(1e-2);
  for (int i = 0; i < 1000; ++i) count_block(100);
  REQUIRE(read_audit().words >= 100'000);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    count_block(55);
    const bool right = read_audit().words == 55 && read_audit().words == 55;
    _exit(right ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

// Three threads hand over often, words of expectation 1/2 that were all sampled; a reader never
// sees one number without the others.
TEST_CASE("a reader sees whole hand-overs only") {
  const rate r(0.5);
  const audited seen;
  std::atomic<bool> stop{false};
  std::vector<std::thread> writers;
  for (int i = 0; i < 3; ++i) {
    writers.emplace_back([&] {
      gap_audit audit;
      audit.change_law(0, geometric_distribution(0.5));
      while (!stop.load()) {
        // Not all the time: a reader waits for a moment without one, though not for ever.
        std::this_thread::sleep_for(std::chrono::microseconds(20));
        audit.take_block(1, 1);
        audit.hand_over();
      }
    });
  }
  std::int64_t torn = 0;
  for (int i = 0; i < 20'000 || seen.words() < 1000; ++i) {
    const audit_totals now = seen.totals();
    tally const& t = now.cells[age_bins];
    const bool whole = std::abs(static_cast<double>(now.words) - t.expected * 2) < 0.1 &&
                       t.samples == static_cast<std::uint64_t>(now.words);
    torn += whole ? 0 : 1;
  }
  stop.store(true);
  for (std::thread& w : writers) w.join();
  CHECK(torn == 0);
}
