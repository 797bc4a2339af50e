// SPDX-License-Identifier: MIT
#include "endpoints/process_metrics.hpp"

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

#include "memprof/memprof.hpp"

#include "answers.hpp"
#include "support/catch2.hpp"

using namespace memprof::serve;
using namespace memprof::literals;
using namespace memprof::test;

TEST_CASE("process metrics: limits and budgets") {
  const auto interrupts = [] {
    const std::string page = get("/metrics").body;
    const double tasks = sample(page, "memprof_interrupted_tasks_total{limit=\"allocations\"}");
    CHECK(tasks <= sample(page, "memprof_limit_interrupts_total{limit=\"allocations\"}"));
    return tasks;
  };
  const double before = interrupts();
  auto const r =
      memprof::run_limited({.allocations = 1_MiB, .count = memprof::counting::exact}, [] {
        for (;;) named_block(4096);
      });
  CHECK_FALSE(r);
  CHECK(interrupts() == before + 1);

  const memprof::limits allowed{.allocations = 64_MiB, .memory = 2_MiB};
  memprof::budget tenant(allowed);
  {
    const published shown = publish("tenant \"a\"", tenant, allowed);
    CHECK_THROWS_AS(publish("tenant \"a\"", tenant), std::invalid_argument);
    CHECK(tenant.run([] { named_block(1 << 20); }));
    const std::string page = get("/metrics").body;
    CHECK(sample(page, R"(memprof_budget_allocated_bytes_total{budget="tenant \"a\""})") ==
          static_cast<double>(tenant.allocated().count()));
    CHECK(sample(page, R"(memprof_budget_limit_bytes{budget="tenant \"a\"",limit="memory"})") ==
          2 << 20);
    CHECK(has(page, R"(memprof_budget_inuse_bytes{budget="tenant \"a\""})"));
  }
  CHECK_FALSE(has(get("/metrics").body, "tenant"));
}

TEST_CASE("process metrics: what limits do, while they do it") {
  const auto value = [](std::string const& page, char const* name) {
    return page.find(name) == std::string::npos ? 0.0 : sample(page, name);
  };
  constexpr char hits[] = "memprof_limit_hits_total{limit=\"allocations\"}";
  constexpr char masked[] =
      "memprof_limit_deferrals_by_reason_total{reason=\"inside a masked region\"}";
  const std::string before = get("/metrics").body;
  CHECK(has(before, "reason=\"under a noexcept function or destructor\"} "));
  std::string during, late;
  memprof::token const extra;
  auto const r =
      memprof::run_limited({.allocations = 1_MiB, .count = memprof::counting::exact}, [&] {
        const memprof::masked_scope mask;
        for (int i = 0; i < 1000; ++i) named_block(4096);
        std::thread([&] {
          during = get("/metrics").body;
          std::this_thread::sleep_for(std::chrono::milliseconds(1100));
          late = get("/metrics").body;
        }).join();
      });
  CHECK_FALSE(r);
  const std::string after = get("/metrics").body;
  CHECK(value(during, hits) == value(before, hits) + 1);
  CHECK(value(after, hits) == value(before, hits) + 1);
  CHECK(value(after, "memprof_limit_scopes_total") ==
        value(before, "memprof_limit_scopes_total") + 1);
  CHECK(value(during, masked) > value(before, masked));
  CHECK(value(during, masked) - value(before, masked) ==
        value(during, "memprof_limit_deferrals_total") -
            value(before, "memprof_limit_deferrals_total"));
  CHECK(value(during, "memprof_pending_tasks") == 1);
  CHECK(value(during, "memprof_overdue_tasks") == 0);
  CHECK(value(late, "memprof_overdue_tasks") == 1);
  CHECK(value(late, "memprof_pending_task_longest_seconds") >= 1.1);
  CHECK(value(after, "memprof_pending_tasks") == 0);
  CHECK(value(after, "memprof_tokens") == value(before, "memprof_tokens") + 1);
  CHECK(value(after, "memprof_preflight_seconds_total") >
        value(before, "memprof_preflight_seconds_total"));
  constexpr char answers[] = "memprof_serve_requests_total{answer=\"metrics\"}";
  CHECK(value(after, answers) == value(before, answers) + 3);
  CHECK(value(after, "memprof_serve_cpu_seconds_total{answer=\"metrics\"}") >
        value(before, "memprof_serve_cpu_seconds_total{answer=\"metrics\"}"));
}

TEST_CASE("process metrics: a hit limit has the trace id of its task as exemplar") {
  constexpr char openmetrics[] = "application/openmetrics-text;version=1.0.0";
  constexpr char text[] = "text/plain;version=0.0.4";
  {
    const memprof::label id{"trace_id", "4bf92f3577b34da6a3ce929d0e0e4736"};
    CHECK_FALSE(memprof::run_limited({.allocations = 1_MiB, .count = memprof::counting::exact}, [] {
      for (;;) named_block(4096);
    }));
  }
  constexpr char exemplar[] = " # {trace_id=\"4bf92f3577b34da6a3ce929d0e0e4736\"} 1 1";
  const std::string page = get("/metrics", openmetrics).body;
  const std::size_t at = page.find("\nmemprof_limit_hits_total{limit=\"allocations\"} ");
  REQUIRE(at != std::string::npos);
  const std::string line = page.substr(at + 1, page.find('\n', at + 1) - at - 1);
  CHECK(has(line, exemplar));
  CHECK(page.find(exemplar) == page.rfind(exemplar));
  CHECK(get("/metrics", openmetrics).body.find(line) != std::string::npos);  // until the next one
  for (char const* const accept : {text, "", "*/*"}) {
    CHECK_FALSE(has(get("/metrics", accept).body, "trace_id"));
  }
}
