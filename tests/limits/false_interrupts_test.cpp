// SPDX-License-Identifier: MIT
//
// A limit with a probability of false interrupts: interrupts come when the amount is surely over
// the limit, soft limits when it may have reached them. The default rate, S = 10 kw.
#include <cstddef>
#include <functional>
#include <limits>
#include <memory_resource>
#include <optional>
#include <stdexcept>
#include <utility>

#include "memprof/memprof.hpp"

#include "limits/with_soft.hpp"
#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;

TEST_CASE("a false-interrupt probability is one", "[limits][false_interrupts]") {
  for (double const risk : {0.0, -0.1, 0.51, 1.0, 2.0, std::numeric_limits<double>::quiet_NaN()}) {
    bool run = false;
    limits const l{.allocations = 1_MiB, .false_interrupt_probability = risk};
    CHECK_THROWS_AS(run_limited(l, [&] { run = true; }), std::domain_error);
    CHECK_THROWS_AS(budget(l), std::domain_error);
    CHECK_FALSE(run);
  }
  CHECK(run_limited({.allocations = 1_MiB, .false_interrupt_probability = 0.5}, [] {}));
  CHECK(run_limited({.allocations = 1_MiB, .false_interrupt_probability = 1e-300}, [] {}));
}

// Sample number k of the limit under which the given one is safe.
TEST_CASE("allocations: interrupted when surely over the limit", "[limits][false_interrupts]") {
  set_seed(7);
  for (words const limit : {0_w, 10_kw, 100_kw, 1_Mw}) {
    for (double const risk : {0.5, 1e-2, 1e-9, 1e-50}) {
      auto const r = run_limited({.allocations = limit, .false_interrupt_probability = risk}, [] {
        while (true) churn(1_Mw);
      });
      CAPTURE(limit, risk);
      REQUIRE_FALSE(r);
      auto const k = samples_to_interrupt(limit_for_safe(limit, risk));
      auto const k_of_limit = samples_to_interrupt(limit);
      CHECK(r.error().limit() == bytes{limit});
      CHECK(r.error().measured() == bytes{words{std::max(k, k_of_limit) * 10'000}});
    }
  }
}

TEST_CASE("allocations: a budget, too", "[limits][false_interrupts]") {
  set_seed(8);
  budget b({.allocations = 100_kw, .false_interrupt_probability = 1e-9});
  CHECK(b.run([] { churn(50_kw); }));
  auto const r = b.run([] {
    while (true) churn(1_Mw);
  });
  REQUIRE_FALSE(r);
  auto const k = samples_to_interrupt(limit_for_safe(100_kw, 1e-9));
  CHECK(r.error().measured() == bytes{words{k * 10'000}});
}

TEST_CASE("exact counting has no error to be sure of", "[limits][false_interrupts]") {
  words granted{};
  auto const r = run_limited(
      {.allocations = 1_kw, .count = counting::exact, .false_interrupt_probability = 1e-9},
      [&] { churn_until(2_kw, granted); });
  CHECK_FALSE(r);
  CHECK(granted == 1_kw);
}

TEST_CASE("memory: interrupted when its lower bound is over the limit",
          "[limits][false_interrupts]") {
  set_seed(9);
  for (double const risk : {0.4, 1e-2, 1e-9}) {
    holder kept;
    auto const r = run_limited({.memory = 4_MiB, .false_interrupt_probability = risk},
                               [&] { kept.fill(20_Mw); });
    CAPTURE(risk);
    REQUIRE_FALSE(r);
    // Small blocks: n samples are worth n S, and their lower bound is Garwood's. At sample number n
    // there are n - 1 before it, and look number n spends its share of the risk.
    auto const unit = 80'000.0 * 1.0004;  // a block of 8 words weighs S and half of its own words
    auto const n = static_cast<double>(r.error().measured().count()) / unit;
    auto const count = static_cast<std::uint64_t>(n + 0.5);
    auto const lower_at = [&](std::uint64_t sample) {
      auto const share = detail::statistics::share_of_look(static_cast<double>(sample));
      return poisson_interval(sample - 1, 1 - 2 * risk * share).lower * unit + 64;
    };
    CHECK(lower_at(count) > 0.9999 * (4 << 20));
    CHECK(lower_at(count - 1) < 1.0001 * (4 << 20));
  }
}

TEST_CASE("memory: large blocks are sure by themselves", "[limits][false_interrupts]") {
  holder kept;
  auto const r = run_limited({.memory = 64_MiB, .false_interrupt_probability = 1e-9}, [&] {
    for (int i = 0; i < 100; ++i) kept.add(1 << 20);
  });
  REQUIRE_FALSE(r);
  CHECK(r.error().measured() < 66_MiB);  // the 64th, or the one after it
}

TEST_CASE("memory of the process: likewise", "[limits][false_interrupts]") {
  set_seed(10);
  set_process_sampling_rate(default_sampling_rate);
  auto const before = live_major_memory().value;
  set_global_memory_limit(before + 16_MiB);
  std::optional<bytes> at_once;
  std::optional<bytes> for_sure;
  for (bool const sure : {false, true}) {
    holder kept;
    limits l{.global_memory = true};
    if (sure) l.false_interrupt_probability = 1e-9;
    auto const r = run_limited(l, [&] { kept.fill(20_Mw, 4000); });
    REQUIRE_FALSE(r);
    (sure ? for_sure : at_once) = r.error().measured();
  }
  set_global_memory_limit(std::nullopt);
  set_process_sampling_rate(sampling_rate{0.0});
  CHECK(*at_once < before + 17_MiB);
  CHECK(*for_sure > before + 19_MiB);
}

/// Runs `meanwhile` before it passes a request on.
struct before_it_is_obtained final : std::pmr::memory_resource {
  explicit before_it_is_obtained(std::function<void()> f) : meanwhile(std::move(f)) {}
  std::function<void()> meanwhile;

 private:
  void* do_allocate(std::size_t size, std::size_t alignment) override {
    meanwhile();
    return std::pmr::new_delete_resource()->allocate(size, alignment);
  }
  void do_deallocate(void* block, std::size_t size, std::size_t alignment) override {
    std::pmr::new_delete_resource()->deallocate(block, size, alignment);
  }
  [[nodiscard]] bool do_is_equal(memory_resource const& other) const noexcept override {
    return this == &other;
  }
};

TEST_CASE("memory of the process: what is not surely over is promised to nobody else",
          "[limits][false_interrupts]") {
  set_seed(12);
  set_process_sampling_rate(default_sampling_rate);
  holder uncertain;
  uncertain.fill(5_Mw, 4000);  // 500 samples of 80 kB: right to 1.8 MB
  set_global_memory_limit(live_major_memory().value + 8_MiB);
  auto const has_room = [] {  // 6 MiB, of which at least one sample is taken but once in 1e34
    return in_thread(
        [] { return limit_global_memory([] { churn(786_kw, 6 << 20); }).has_value(); });
  };
  CHECK(has_room());
  std::optional<bool> room_meanwhile;
  before_it_is_obtained upstream([&] { room_meanwhile = has_room(); });
  memory_resource resource(&upstream);
  auto const r = run_limited({.global_memory = true, .false_interrupt_probability = 1e-9},
                             [&] { resource.deallocate(resource.allocate(10 << 20), 10 << 20); });
  CHECK(r);
  CHECK(room_meanwhile == false);
  CHECK(has_room());
  set_global_memory_limit(std::nullopt);
  set_process_sampling_rate(sampling_rate{0.0});
}

TEST_CASE("soft limits are called as soon as the amount may have reached them",
          "[limits][false_interrupts]") {
  set_seed(11);
  for (bool const memory : {false, true}) {
    std::optional<estimate> seen;
    limits l{.false_interrupt_probability = 0.025};  // the notice has the bounds of 95 %
    (memory ? l.memory : l.allocations) = 10_MiB;
    l = with_soft(std::move(l), 0.5, [&](soft_limit_notice& n) { seen = n.measured(); });
    holder kept;
    CHECK_FALSE(run_limited(l, [&] { kept.fill(20_Mw); }));
    CAPTURE(memory);
    REQUIRE(seen);
    CHECK(seen->upper >= 5_MiB);
    CHECK(seen->upper <= 5_MiB + 200'000_B);  // the first sample at which that was so
    CHECK(seen->value < 4_MiB);
  }
}

}  // namespace
}  // namespace memprof::test
