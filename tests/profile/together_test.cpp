// SPDX-License-Identifier: MIT
// Profiles among threads, limits and other rates.
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

#include "memprof/memprof.hpp"

#include "profile/recorder.hpp"
#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/sanitized.hpp"

using namespace memprof;
using namespace memprof::test;

namespace {

/// A block that holds its own size, for the thread that releases it.
void* allocate_sized(std::size_t size) {
  void* const block = allocate(size);
  std::memcpy(block, &size, sizeof size);
  return block;
}
void release_sized(void* block) {
  std::size_t size = 0;
  std::memcpy(&size, block, sizeof size);
  release(block, size);
}

/// 4 threads allocate, promote, free their own blocks and those of others, and exit.
void work_in_threads(std::size_t rounds) {
  constexpr std::size_t slots = 256;
  static std::array<std::atomic<void*>, slots> exchange;
  in_threads(4, [&](std::size_t t) {
    std::uint64_t state = t + 1;
    for (std::size_t i = 0; i < rounds; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      const std::size_t size = state >> 63 != 0 && i % 16 == 0 ? 4000 : 56;
      void* const other = exchange[(state >> 33) % slots].exchange(allocate_sized(size));
      if (other != nullptr) release_sized(other);
    }
  });
  for (auto& slot : exchange) {
    if (void* const left = slot.exchange(nullptr)) release_sized(left);
  }
}

constexpr std::size_t rounds_for(std::size_t n) { return MEMPROF_SANITIZED != 0 ? n / 10 : n; }

}  // namespace

TEST_CASE("profile: threads that allocate, promote, free for others and exit", "[profile]") {
  const profile_alone scene;
  set_nursery(2_kw);
  const double rate = GENERATE(1.0, 0.02);
  recorder r;
  profile p = start(sampling_rate{rate}, r.tracker());
  for (int again = 0; again < 3; ++again) work_in_threads(rounds_for(20'000));
  p.stop();
  CHECK(r.order == 0);
  CHECK(r.nested == 0);
  CHECK(r.promotions > 0);
  CHECK(r.majors > 0);
  // Nothing but what Catch2 and the threads of the test themselves keep is left.
  CHECK(r.allocs() - r.frees() < 50);
  CHECK(p.failures() == 0);
}

TEST_CASE("profile: started, stopped and discarded while threads are at work", "[profile]") {
  const profile_alone scene;
  set_nursery(2_kw);
  std::atomic<bool> done{false};
  std::atomic<std::uint64_t> calls{0};
  std::atomic<int> alive{0};
  struct value {
    explicit value(std::atomic<int>& n) : alive(&n) { ++*alive; }
    value(value&& other) noexcept : alive(other.alive) { ++*alive; }
    ~value() { --*alive; }
    std::atomic<int>* alive;
  };
  std::thread controller([&] {
    for (int i = 0; i < 30; ++i) {
      auto over = std::make_shared<std::atomic<bool>>(false);
      const auto call = [&calls, over] {
        if (*over) throw std::logic_error("called after discard");
        ++calls;
      };
      tracker<value, value> t;
      t.alloc_minor = [&, call](allocation const&) {
        call();
        return std::optional<value>{std::in_place, alive};
      };
      t.promote = [&, call](value v) {
        call();
        return std::optional<value>{std::move(v)};
      };
      t.dealloc_minor = [call](value) { call(); };
      t.dealloc_major = [call](value) { call(); };
      profile p = start(sampling_rate{0.2}, std::move(t), 4);
      // Until the others are inside, if they run at all.
      const std::uint64_t enough = calls + 100;
      for (int k = 0; k < 50'000 && calls < enough; ++k) std::this_thread::yield();
      if (i % 3 != 0) p.stop();
      if (i % 3 == 1) {
        p.discard();
        *over = true;
        if (p.failures() != 0) ++alive;  // makes the test fail
        std::this_thread::yield();
        if (p.failures() != 0) ++alive;
      }
    }
    done = true;
  });
  while (!done) work_in_threads(rounds_for(5'000));
  controller.join();
  CHECK(alive == 0);
  CHECK(calls > 0);
}

TEST_CASE("profile: n_samples are Binomial(words, rate), whatever the process samples at",
          "[profile]") {
  const double process_rate = GENERATE(0.0, 0.3, 1e-3);
  with_seed seed(20);
  set_process_sampling_rate(sampling_rate{process_rate});
  recorder r;
  profile p = start(sampling_rate{1e-2}, r.tracker(), 0);
  constexpr double total = 2e6;
  churn(words{1'900'000});
  churn(words{100'000}, 3992);
  p.stop();
  const auto samples = static_cast<double>(r.samples);
  // 6.5 standard deviations: a false alarm in 1e10.
  CHECK(std::abs(samples - total * 1e-2) < 6.5 * std::sqrt(total * 1e-2 * 0.99) + 5);
  CHECK(std::abs(static_cast<double>(r.samples_major) - 1000) < 6.5 * std::sqrt(990.0) + 5);
  CHECK(r.samples > r.allocs());  // large blocks have several
  CHECK(r.frees() == r.allocs());
}

TEST_CASE("profile: limits count at their own rate beside it", "[profile]") {
  // The mean of what 200 tasks get under a limit of k = 10 samples is 10 S, with a standard
  // deviation of sqrt(10 / 200) S = 0.224 S: 6.5 of these on either side, a false alarm in 1e10.
  const int which = GENERATE(0, 1, 2, 3);
  with_seed seed(static_cast<std::uint64_t>(which) + 3, sampling_rate{1e-3});
  set_process_sampling_rate(sampling_rate{which == 3 ? 0.02 : 0.0});
  std::optional<profile> p;
  if (which != 0) {
    p = start(sampling_rate{which == 1 ? 1e-4 : 0.05}, null_tracker);
    if (which == 2) p->stop();
  }
  double sum = 0;
  for (int i = 0; i < 200; ++i) {
    words granted{};
    const auto result = limit_allocations(bytes{80'000}, [&] { churn_until(1000_kw, granted); });
    REQUIRE_FALSE(result);
    sum += static_cast<double>(granted.count());
  }
  // The block that is refused is not granted: at most its 8 words less.
  CHECK(std::abs(sum / 200 - 10'000) < 6.5 * 224 + 8);
}

TEST_CASE("profile: exact limits and live limits do not notice it", "[profile]") {
  const auto run = [](bool profiled) {
    const profile_alone scene(5);
    std::optional<profile> p;
    if (profiled) p = start(sampling_rate{1.0}, null_tracker);
    words granted{};
    const limits l{.allocations = bytes{8'000}, .count = counting::exact};
    const auto result = run_limited(l, [&] { churn_until(10_kw, granted); });
    REQUIRE_FALSE(result);
    return granted;
  };
  CHECK(run(false) == run(true));

  with_seed seed(6, sampling_rate{1e-2});
  set_process_sampling_rate(sampling_rate{0.0});
  recorder r;
  profile p = start(sampling_rate{0.5}, r.tracker());
  words held{};
  const auto result = limit_memory(bytes{800'000}, [&] {
    holder h;
    for (;;) {
      h.add(small_block);
      held = h.held();
    }
  });
  REQUIRE_FALSE(result);
  // 100 kw, the estimate at rate 0.5 within 1.5 %; at the limit's own rate it would be 3 %.
  CHECK(held.count() > 95'000);
  CHECK(held.count() < 105'000);
  CHECK(r.frees() > 10'000);
}

TEST_CASE("profile: live estimates of the process stay right before, during and after",
          "[profile]") {
  with_seed seed(9);
  set_process_sampling_rate(sampling_rate{1e-2});
  const double before = static_cast<double>(live_memory().value.count());
  holder h;
  h.fill(1000_kw);
  {
    profile p = start(sampling_rate{0.3}, null_tracker);
    h.fill(2000_kw);
    p.stop();
  }
  h.fill(3000_kw);
  const double grown = static_cast<double>(live_memory().value.count()) - before;
  // 3 Mw; variance of an estimate: 100 words a sample for two thirds of it, 3 for the rest.
  CHECK(std::abs(grown / 8 - 3e6) < 6.5 * std::sqrt(100.0 * 2e6 + 3.4 * 1e6) + 1000);
  h.clear();
  const double left = static_cast<double>(live_memory().value.count()) - before;
  CHECK(std::abs(left / 8) < 20'000);
}
