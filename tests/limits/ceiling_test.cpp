// SPDX-License-Identifier: MIT
//
// The ceiling: a second limit for tasks that go on after they were hit.
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "memprof/memprof.hpp"

#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;

/// Allocates where nothing can be delivered.
void churn_undeliverably(words total) noexcept { churn(total); }

TEST_CASE("a task that cannot be stopped reaches its ceiling, once", "[limits][ceiling]") {
  exactly fixture;
  int calls = 0;
  overrun seen{};
  limits l{.allocations = 10_kw};
  l.ceiling = ceiling{.beyond = 20_kw, .callback = [&](overrun const& o) {
                        ++calls;
                        seen = o;
                      }};
  words at_call{};
  auto const r = run_limited(l, [&] {
    words granted{};
    auto const watched = [&]() noexcept {
      while (calls == 0 && granted < 100_kw) {
        churn(8_w);
        granted = granted + 8_w;
      }
      at_call = granted;
    };
    watched();
    churn_undeliverably(100_kw);
  });
  REQUIRE_FALSE(r);
  CHECK(calls == 1);
  CHECK(seen.kind == limit_kind::allocations);
  CHECK(seen.deliveries == 0);
  CHECK(seen.deferrals > 0);
  CHECK(seen.last_deferral != nullptr);
  CHECK(seen.beyond > bytes{20_kw});
  CHECK(seen.beyond <= bytes{21_kw});
  CHECK(at_call >= 30_kw);
  CHECK(at_call <= 31_kw);
}

TEST_CASE("a task that swallows what is raised reaches its ceiling", "[limits][ceiling]") {
  exactly fixture;
  std::uint64_t deliveries = 0;
  limits l{.allocations = 10_kw, .grace = 95_kw};
  l.ceiling =
      ceiling{.beyond = 100_kw, .callback = [&](overrun const& o) { deliveries = o.deliveries; }};
  auto const r = run_limited(l, [&] {
    for (int i = 0; i < 100; ++i) {
      try {
        churn(2_kw);
      } catch (std::bad_alloc const&) {
      }
    }
  });
  REQUIRE_FALSE(r);
  CHECK(deliveries == 2);
}

TEST_CASE("no ceiling for a task that can be stopped, or never reached its limit",
          "[limits][ceiling]") {
  exactly fixture;
  int calls = 0;
  limits l{.allocations = 10_kw};
  l.ceiling = ceiling{.beyond = bytes{0}, .callback = [&](overrun const&) { ++calls; }};
  CHECK(run_limited(l, [] { churn_undeliverably(9_kw); }));
  CHECK(calls == 0);
  l.ceiling->beyond = 1_kw;
  CHECK_FALSE(run_limited(l, [] { churn(100_kw); }));
  CHECK(calls == 0);
}

TEST_CASE("a callback starts no limit: its thread is muted, so none could fire",
          "[limits][ceiling]") {
  exactly fixture;
  limits l{.allocations = 10_kw};
  bool refused = false;
  bool ran = false;
  l.ceiling = ceiling{.beyond = bytes{0}, .callback = [&](overrun const&) {
                        try {
                          static_cast<void>(limit_allocations(10_kw, [&] { ran = true; }));
                        } catch (not_active const& e) {
                          refused = std::string(e.what()).contains("callback");
                        }
                      }};
  CHECK_FALSE(run_limited(l, [] { churn_undeliverably(100_kw); }));
  CHECK(refused);
  CHECK_FALSE(ran);
}

TEST_CASE("what a ceiling's callback throws is dropped and counted", "[limits][ceiling]") {
  exactly fixture;
  auto const before = counters().callback_failures;
  limits l{.allocations = 1_kw};
  l.ceiling =
      ceiling{.beyond = 1_kw, .callback = [](overrun const&) { throw std::runtime_error("no"); }};
  CHECK_FALSE(run_limited(l, [] { churn_undeliverably(10_kw); }));
  CHECK(counters().callback_failures == before + 1);
}

TEST_CASE("a ceiling that aborts", "[limits][ceiling]") {
  exactly fixture;
  int pipe_ends[2];
  REQUIRE(pipe(pipe_ends) == 0);
  pid_t const child = fork();
  if (child == 0) {
    dup2(pipe_ends[1], STDERR_FILENO);
    std::signal(SIGABRT, SIG_DFL);
    limits l{.allocations = 1_kw};
    l.ceiling = ceiling{.beyond = 10_kw, .action = ceiling_action::abort};
    (void)run_limited(l, [] { churn_undeliverably(100_kw); });
    _exit(0);
  }
  close(pipe_ends[1]);
  std::string said;
  char buffer[256];
  for (ssize_t n; (n = read(pipe_ends[0], buffer, sizeof buffer)) > 0;) {
    said.append(buffer, static_cast<std::size_t>(n));
  }
  close(pipe_ends[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGABRT);
  CHECK(said.find("allocations") != std::string::npos);
  CHECK(said.find("noexcept") != std::string::npos);
}

TEST_CASE("ceilings that make no sense are refused", "[limits][ceiling]") {
  limits l{.allocations = 1_kw};
  l.ceiling = ceiling{.beyond = bytes{-1}, .callback = [](overrun const&) {}};
  CHECK_THROWS_AS(run_limited(l, [] {}), std::invalid_argument);
  l.ceiling = ceiling{.beyond = 1_kw};
  CHECK_THROWS_AS(run_limited(l, [] {}), std::invalid_argument);
}

}  // namespace
}  // namespace memprof::test
