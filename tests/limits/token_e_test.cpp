// SPDX-License-Identifier: MIT
//
// Tokens. Latency differs from upstream's: polled every 1000 words at least, not at samples.
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "memprof/memprof.hpp"

#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;

TEST_CASE("E1: a token set already: error, the task is not run", "[limits][token]") {
  with_seed fixture(1);
  token stop;
  stop.set("too late");
  std::stop_source source;
  source.request_stop();
  bool ran = false;
  auto const task = [&] { ran = true; };
  auto const check = [&](auto const& r, char const* reason) {
    REQUIRE_FALSE(r);
    CHECK_FALSE(ran);
    CHECK(r.error().kind() == limit_kind::token);
    CHECK_FALSE(r.error().started());
    CHECK(r.error().deliveries() == 0);
    CHECK(r.error().deferrals() == 0);
    CHECK(r.error().exception() == nullptr);
    CHECK_FALSE(r.error().message().empty());
    if (reason == nullptr) {
      CHECK(r.error().reason() == nullptr);
    } else {
      REQUIRE(r.error().reason() != nullptr);
      CHECK(std::string(r.error().reason()) == reason);
    }
  };
  check(limit_with_token(stop, task), "too late");
  check(limit_with_token(token(stop), task), "too late");
  check(limit_with_token(stop.child(), task), "too late");
  check(limit_with_token(source.get_token(), task), nullptr);
  check(run_limited({.token = stop}, task), "too late");
  check(budget({.token = stop}).run(task), "too late");
}

TEST_CASE("E2: the same token, or a descendant, on nested limits: all are errors",
          "[limits][token]") {
  exactly fixture;
  token stop;
  bool inner_error = false;
  bool middle_error = false;
  auto const outer = limit_with_token(stop, [&] {
    auto const middle = limit_with_token(stop, [&] {
      inner_error = !limit_with_token(stop.child(), [&] {
                       stop.set();
                       churn(2_kw);
                     }).has_value();
      return 1;  // nothing allocated since
    });
    middle_error = !middle.has_value();
    return 2;
  });
  CHECK(inner_error);
  CHECK(middle_error);
  CHECK_FALSE(outer);
}

TEST_CASE("E3: inner token set, outer not: inner error, outer goes on", "[limits][token]") {
  exactly fixture;
  token outer_stop;
  token inner_stop = outer_stop.child();
  bool inner_error = false;
  auto const outer = limit_with_token(outer_stop, [&] {
    inner_error = !limit_with_token(inner_stop, [&] {
                     inner_stop.set();
                     churn(2_kw);
                   }).has_value();
    churn(50_kw);
    return 1;
  });
  CHECK(inner_error);
  CHECK(outer);
}

TEST_CASE("E4: one token stops many threads", "[limits][token]") {
  with_seed fixture(4);
  token stop;
  std::array<bool, 8> error{};
  std::atomic<int> running = 0;
  std::vector<std::thread> threads;
  for (bool& mine : error) {
    threads.emplace_back([&] {
      auto const r = limit_with_token(stop, [&] {
        ++running;
        for (;;) churn(10_kw);
      });
      mine = !r.has_value() && r.error().kind() == limit_kind::token;
    });
  }
  while (running < 8) std::this_thread::yield();
  stop.set("all of you");
  for (auto& thread : threads) thread.join();
  for (bool e : error) CHECK(e);
}

TEST_CASE("E5 mended: an idle task is never interrupted, except at a cancellation_point",
          "[limits][token]") {
  exactly fixture;
  token stop;
  auto const idle = limit_with_token(stop, [&] {
    stop.set();
    return 1;
  });
  CHECK(idle);

  token again;
  bool passed_clear = false;
  bool passed_set = false;
  auto const polled = limit_with_token(again, [&] {
    cancellation_point();
    passed_clear = true;
    again.set("polled");
    cancellation_point();
    passed_set = true;
  });
  REQUIRE_FALSE(polled);
  CHECK(passed_clear);
  CHECK_FALSE(passed_set);
  CHECK(polled.error().deliveries() == 1);
  CHECK(std::string(polled.error().reason()) == "polled");
}

token* signalled = nullptr;
static_assert(std::atomic<token*>::is_always_lock_free);

TEST_CASE("E6: a token may be set by a signal handler", "[limits][token]") {
  with_seed fixture(6);
  token stop;
  signalled = &stop;
  auto* const previous = std::signal(SIGUSR1, [](int) { signalled->set("signal"); });
  words granted{};
  auto const r = limit_with_token(stop, [&] {
    churn(5_kw);
    std::raise(SIGUSR1);
    churn_until(20_kw, granted);
  });
  std::signal(SIGUSR1, previous);
  signalled = nullptr;
  REQUIRE_FALSE(r);
  CHECK(granted <= 1_kw);
  CHECK(std::string(r.error().reason()) == "signal");
}

// Upstream: exponential with mean 10 kw.
TEST_CASE("E7 changed: latency is at most 1 kw, and nothing at a scope's first allocation",
          "[limits][token]") {
  with_seed fixture(7);
  for (bool as_stop_token : {false, true}) {
    for (std::int64_t before = 1; before < 4'000; before += 37) {
      token stop;
      std::stop_source source;
      words granted{};
      auto const task = [&] {
        churn(words{before});
        stop.set();
        source.request_stop();
        churn_until(20_kw, granted);
      };
      auto const r =
          as_stop_token ? limit_with_token(source.get_token(), task) : limit_with_token(stop, task);
      REQUIRE_FALSE(r);
      REQUIRE(granted <= 1_kw);
    }
  }
  token stop;
  words granted{};
  auto const at_once = limit_with_token(stop, [&] {
    stop.set();
    churn_until(20_kw, granted);
  });
  CHECK_FALSE(at_once);
  CHECK(granted == 0_w);
  // The latency of a big block is that block: it is not granted first.
  token big;
  bool got_it = false;
  auto const refused = limit_with_token(big, [&] {
    churn(10_w);
    big.set();
    release(allocate(100'000), 100'000);
    got_it = true;
  });
  CHECK_FALSE(refused);
  CHECK_FALSE(got_it);
}

TEST_CASE("E7: set by another thread, the task stops", "[limits][token]") {
  with_seed fixture(8);
  for (int i = 0; i < 50; ++i) {
    std::stop_source source;
    std::thread setter([&] { source.request_stop(); });
    auto const r = limit_with_token(source.get_token(), [&] {
      for (;;) churn(1_kw);
    });
    setter.join();
    REQUIRE_FALSE(r);
  }
}

TEST_CASE("a stop_token without a stop state never stops anything", "[limits][token]") {
  exactly fixture;
  CHECK(limit_with_token(std::stop_token(), [] { churn(20_kw); }));
}

TEST_CASE("limits share the flag of the token they were given", "[limits][token]") {
  exactly fixture;
  token stop;
  limits l{.token = stop};
  {
    auto const r = run_limited(l, [] { churn(5_kw); });
    CHECK(r);
  }
  stop.set("parent");
  auto const r = run_limited(l, [] { churn(5_kw); });
  REQUIRE_FALSE(r);
  CHECK_FALSE(r.error().started());
  CHECK(std::string(r.error().reason()) == "parent");
  token other;
  l.token = other;
  l.token->set();
  CHECK(other.is_set());
}

}  // namespace
}  // namespace memprof::test
