// SPDX-License-Identifier: MIT
//
// Handlers in the way of an interrupt, what a program sets for its own code, and the observer of
// what is deferred.
#include <atomic>
#include <cstring>
#include <stdexcept>
#include <string>

#include "memprof/memprof.hpp"

#include "limits/hit.hpp"
#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

// ThreadSanitizer would clean up in it, and so make it no function of C.
#if defined(__clang__)
#define WITHOUT_CLEANUPS __attribute__((disable_sanitizer_instrumentation))
#else
#define WITHOUT_CLEANUPS
#endif

// The one function in its section, whose ends the linker knows. Nothing follows its call.
extern "C" [[noreturn, gnu::noinline, gnu::section("memprof_test_c_code")]] WITHOUT_CLEANUPS void
memprof_test_ends_with_a_call();
extern "C" char const __start_memprof_test_c_code[];
extern "C" char const __stop_memprof_test_c_code[];

namespace memprof::test {
namespace {

using namespace memprof::literals;

struct progress {
  int swallowed = 0;
  bool finished = false;
};

[[gnu::noinline]] void swallow_everything(progress& p) {
  for (int i = 0; i < 50; ++i) {
    try {
      churn(1_kw);
    } catch (...) {
      ++p.swallowed;
    }
  }
  p.finished = true;
}

[[noreturn, gnu::noinline]] void allocates_and_throws() {
  churn(20_kw);
  throw 1;
}

TEST_CASE("by default a handler of the program gets the interrupt, as it gets any bad_alloc",
          "[limits][handlers]") {
  exactly fixture;
  progress p;
  auto const r = run_limited({.allocations = 10_kw}, [&] { swallow_everything(p); });
  REQUIRE_FALSE(r);
  CHECK(p.swallowed >= 3);
  CHECK(r.error().deliveries() == static_cast<std::uint64_t>(p.swallowed));
}

TEST_CASE("handler_policy::defer spares the handlers", "[limits][handlers]") {
  exactly fixture;
  progress p;
  words granted{};
  auto const r = run_limited({.allocations = 10_kw, .handlers = handler_policy::defer}, [&] {
    swallow_everything(p);
    churn_until(1_Mw, granted);  // here nothing is in the way
  });
  REQUIRE_FALSE(r);
  CHECK(p.swallowed == 0);
  CHECK(p.finished);
  CHECK(r.error().deliveries() == 1);
  CHECK(r.error().deferrals() > 0);
  CHECK(granted < 100_kw);
  REQUIRE(r.error().last_deferral() != nullptr);
  CHECK(std::strstr(r.error().last_deferral(), "handler") != nullptr);
  CHECK(r.error().last_deferral_place() != nullptr);
  CHECK(r.error().message().find(r.error().last_deferral()) != std::string::npos);
}

TEST_CASE("an inner limit function is no handler in the way of an outer limit",
          "[limits][handlers]") {
  exactly fixture;
  limits const outer{.allocations = 10_kw, .handlers = handler_policy::defer};
  auto const r = run_limited(outer, [&] {
    (void)run_limited({.memory = max_allocation_limit, .handlers = handler_policy::defer},
                      [] { churn(100_kw); });
  });
  REQUIRE_FALSE(r);
  CHECK(r.error().deliveries() == 1);
}

TEST_CASE("overrides: never, despite handlers, not into handlers", "[limits][handlers]") {
  exactly fixture;
  // The whole program; taken back at the end, since overrides hold for the process.
  struct restore {
    ~restore() { set_delivery_through_module("", delivery_through::by_tables); }
  } at_end;

  set_delivery_through_module("", delivery_through::never);
  auto const never = run_limited({.allocations = 10_kw}, [] { churn(100_kw); });
  REQUIRE_FALSE(never);
  CHECK(never.error().deliveries() == 0);
  CHECK(never.error().deferrals() > 0);

  set_delivery_through_module("", delivery_through::despite_handlers);
  progress despite;
  auto const r = run_limited({.allocations = 10_kw, .handlers = handler_policy::defer},
                             [&] { swallow_everything(despite); });
  CHECK_FALSE(r);
  CHECK(despite.swallowed > 0);

  set_delivery_through_module("", delivery_through::not_into_handlers);
  progress spared;
  CHECK_FALSE(run_limited({.allocations = 10_kw}, [&] { swallow_everything(spared); }));
  CHECK(spared.swallowed == 0);
}

TEST_CASE("overrides that make no sense are refused", "[limits][handlers]") {
  CHECK_THROWS_AS(set_delivery_through_module("no-such-module.so", delivery_through::never),
                  std::invalid_argument);
  CHECK_THROWS_AS(set_delivery_through_module(nullptr, delivery_through::never),
                  std::invalid_argument);
  int x = 0;
  CHECK_THROWS_AS(set_delivery_through(&x, &x, delivery_through::never), std::invalid_argument);
  try {
    set_delivery_through_module("no-such-module.so", delivery_through::never);
  } catch (std::invalid_argument const& e) {
    CHECK(std::string(e.what()).find("no-such-module.so") != std::string::npos);
  }
}

std::atomic<std::uint64_t> observed{0};
deferral last_seen{};

TEST_CASE("the observer sees every deferral", "[limits][handlers]") {
  exactly fixture;
  observed = 0;
  set_deferral_observer([](deferral const& d) noexcept {
    ++observed;
    last_seen = d;
  });
  auto const r = run_limited({.allocations = 10_kw}, []() noexcept { churn(100_kw); });
  set_deferral_observer(nullptr);
  REQUIRE_FALSE(r);
  CHECK(r.error().deferrals() == observed);
  CHECK(last_seen.deferrals == observed);
  CHECK(last_seen.kind == limit_kind::allocations);
  CHECK(std::strstr(last_seen.reason, "noexcept") != nullptr);
  CHECK(last_seen.place != nullptr);
  auto const again = run_limited({.allocations = 10_kw}, []() noexcept { churn(100_kw); });
  CHECK_FALSE(again);
  CHECK(observed == r.error().deferrals());
}

TEST_CASE("the place of a deferral is in its function, also if that ends with the call",
          "[limits][handlers]") {
  exactly fixture;
  auto const r = run_limited({.allocations = 10_kw}, [] {
    try {
      memprof_test_ends_with_a_call();
    } catch (int) {
    }
  });
  REQUIRE_FALSE(r);
  REQUIRE(r.error().last_deferral() != nullptr);
  CHECK(std::strstr(r.error().last_deferral(), "C function") != nullptr);
  auto const* const place = static_cast<char const*>(r.error().last_deferral_place());
  CHECK(place > __start_memprof_test_c_code);
  CHECK(place < __stop_memprof_test_c_code);
}

TEST_CASE("a task that cannot be stopped for long pays for a bounded number of tries",
          "[limits][handlers]") {
  exactly fixture;
  auto const r = run_limited({.allocations = 10_kw}, []() noexcept { churn(10_Mw); });
  REQUIRE_FALSE(r);
  CHECK(r.error().deliveries() == 0);
  // 16, 32 ... 8192 words apart, and then so for ever.
  CHECK(r.error().deferrals() < 10 + 10'000'000 / 8192 + 2);
  CHECK(r.error().deferrals() > 1000);
}

}  // namespace
}  // namespace memprof::test

void memprof_test_ends_with_a_call() { memprof::test::allocates_and_throws(); }
