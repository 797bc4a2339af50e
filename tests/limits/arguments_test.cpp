// SPDX-License-Identifier: MIT
//
// Bad arguments (D-1): std::invalid_argument that names the function, and the task is not run.
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include "memprof/memprof.hpp"

#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;
using namespace std::chrono_literals;

/// What an std::invalid_argument from `f` says; what went wrong instead otherwise.
template <class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (std::invalid_argument const& e) {
    return e.what();
  } catch (...) {
    return "something else was thrown";
  }
  return "nothing was thrown";
}

bytes const bad_amounts[]{bytes{-1}, bytes{std::numeric_limits<std::int64_t>::min()},
                          max_allocation_limit + bytes{1},
                          bytes{std::numeric_limits<std::int64_t>::max()}};

TEST_CASE("D-1: amounts that are negative or too big are refused", "[limits][arguments]") {
  with_seed fixture(1);
  bool ran = false;
  auto const task = [&] { ran = true; };
  using Catch::Matchers::ContainsSubstring;
  for (bytes bad : bad_amounts) {
    CAPTURE(bad.count());
    CHECK_THAT(refusal([&] { static_cast<void>(limit_allocations(bad, task)); }),
               ContainsSubstring("limit_allocations"));
    CHECK_THAT(refusal([&] { static_cast<void>(limit_memory(bad, task)); }),
               ContainsSubstring("limit_memory"));
    CHECK_THAT(refusal([&] { static_cast<void>(run_limited({.allocations = bad}, task)); }),
               ContainsSubstring("run_limited"));
    CHECK_THAT(refusal([&] { static_cast<void>(run_limited({.memory = bad}, task)); }),
               ContainsSubstring("run_limited"));
    CHECK_THAT(refusal([&] { budget account({.allocations = bad}); }), ContainsSubstring("budget"));
    CHECK_THAT(refusal([&] { budget account({.memory = bad}); }), ContainsSubstring("budget"));
    CHECK_THAT(refusal([&] { set_global_memory_limit(bad); }),
               ContainsSubstring("set_global_memory_limit"));
  }
  CHECK_FALSE(ran);
  // A refused limit changes nothing.
  set_global_memory_limit(5_MiB);
  CHECK_THROWS_AS(set_global_memory_limit(bytes{-1}), std::invalid_argument);
  CHECK(global_memory_limit() == 5_MiB);
}

TEST_CASE("D-1: an amount of words that does not fit bytes is refused, not wrapped",
          "[limits][arguments]") {
  with_seed fixture(2);
  words const huge{std::numeric_limits<std::int64_t>::max() / 2};
  CHECK_THROWS_AS(limit_allocations(huge, [] {}), std::invalid_argument);
  CHECK_THROWS_AS(limit_memory(-huge, [] {}), std::invalid_argument);
}

TEST_CASE("the bounds themselves are accepted", "[limits][arguments]") {
  with_seed fixture(3);
  CHECK(max_allocation_limit.count() == std::int64_t{9'223'372'036'854'775'800});
  for (auto count : {counting::sampled, counting::exact}) {
    for (bytes good : {bytes{0}, max_allocation_limit}) {
      auto const r = run_limited({.allocations = good, .memory = good, .count = count}, [] {});
      REQUIRE(r);
      CHECK(r->allocated == bytes{0});
    }
  }
  CHECK_NOTHROW(set_global_memory_limit(max_allocation_limit));
  CHECK_NOTHROW(set_global_memory_limit(bytes{0}));
  CHECK_NOTHROW(budget({.allocations = max_allocation_limit, .memory = bytes{0}}));
}

TEST_CASE("no limit at all is no error", "[limits][arguments]") {
  exactly fixture;
  auto const r = run_limited({}, [] {
    churn(50_kw);
    return 1;
  });
  REQUIRE(r);
  CHECK(r->value == 1);
  CHECK(r->allocated == bytes{50_kw});
}

TEST_CASE("negative times and graces are refused", "[limits][arguments]") {
  with_seed fixture(4);
  bool ran = false;
  auto const task = [&] { ran = true; };
  using Catch::Matchers::ContainsSubstring;
  CHECK_THAT(refusal([&] { static_cast<void>(limit_time(-1ns, task)); }),
             ContainsSubstring("limit_time"));
  CHECK_THAT(refusal([&] { static_cast<void>(limit_time(std::chrono::nanoseconds::min(), task)); }),
             ContainsSubstring("limit_time"));
  CHECK_THAT(refusal([&] { static_cast<void>(run_limited({.time = -1s}, task)); }),
             ContainsSubstring("run_limited"));
  CHECK_THAT(refusal([&] { static_cast<void>(run_limited({.grace = words{-1}}, task)); }),
             ContainsSubstring("run_limited"));
  CHECK_THAT(refusal([&] { budget account({.time = -1s}); }), ContainsSubstring("budget"));
  CHECK_THAT(refusal([&] { budget account({.grace = words{-1}}); }), ContainsSubstring("budget"));
  CHECK_FALSE(ran);
}

TEST_CASE("soft limits outside (0, 1] are refused", "[limits][arguments]") {
  with_seed fixture(5);
  bool ran = false;
  for (double bad : {0.0, -0.5, 1.000001, std::nan(""), HUGE_VAL}) {
    limits l{.allocations = 1_Mw};
    l.soft.push_back({bad, [](soft_limit_notice&) {}});
    CAPTURE(bad);
    CHECK_THAT(refusal([&] { static_cast<void>(run_limited(l, [&] { ran = true; })); }),
               Catch::Matchers::ContainsSubstring("run_limited"));
    CHECK_THAT(refusal([&] { budget account(l); }), Catch::Matchers::ContainsSubstring("budget"));
  }
  CHECK_FALSE(ran);
}

TEST_CASE("sampling rates, nursery and confidence have bounds", "[limits][arguments]") {
  for (double bad : {-1e-9, 1.0000001, std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(sampling_rate{bad}, std::invalid_argument);
  }
  CHECK_THROWS_AS(sampling_rate::every(7_B), std::invalid_argument);
  CHECK_THROWS_AS(sampling_rate::every(bytes{0}), std::invalid_argument);
  CHECK_THROWS_AS(sampling_rate::every(bytes{-80}), std::invalid_argument);
  CHECK(sampling_rate::every(8_B) == sampling_rate{1.0});
  CHECK_THROWS_AS(set_nursery(0_w), std::invalid_argument);
  CHECK_THROWS_AS(set_nursery(words{-1}), std::invalid_argument);
  for (double bad : {0.0, 1.0, -0.1, 1.1, std::nan("")}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(live_memory(bad), std::invalid_argument);
    CHECK_THROWS_AS(live_major_memory(bad), std::invalid_argument);
  }
}

}  // namespace
}  // namespace memprof::test
