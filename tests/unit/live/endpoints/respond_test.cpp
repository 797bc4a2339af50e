// SPDX-License-Identifier: MIT
#include "memprof/serve/respond.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <random>
#include <semaphore>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "memprof/memprof.hpp"

#include "support/catch2.hpp"
#include "support/gunzip.hpp"

using namespace memprof::serve;
using namespace memprof::literals;
using memprof::test::gunzipped;

namespace {

response get(std::string_view target, std::string_view accept = {}) {
  return respond({.target = target, .accept = accept});
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// The number behind the sample that `line` begins.
double sample(std::string const& page, std::string const& line) {
  const std::size_t at = page.find("\n" + line + " ");
  INFO(line);
  REQUIRE(at != std::string::npos);
  return std::stod(page.substr(at + line.size() + 2));
}

/// Sums the four values of all samples of a profile: a reader of the wire format, written apart
/// from the writer.
struct profile_sums {
  double values[4] = {};
  std::size_t samples = 0;

  explicit profile_sums(std::string const& body) {
    const std::string data = gunzipped(body);
    std::size_t at = 0;
    const auto varint = [](std::string const& s, std::size_t& i) {
      std::uint64_t n = 0;
      for (unsigned shift = 0;; shift += 7) {
        const auto byte = static_cast<unsigned char>(s.at(i++));
        n |= std::uint64_t{byte & 0x7fU} << shift;
        if (byte < 0x80) return n;
      }
    };
    while (at < data.size()) {
      const std::uint64_t key = varint(data, at);
      const std::uint64_t size = varint(data, at);
      if (key % 8 != 2) continue;
      if (key / 8 == 2) add(data.substr(at, size), varint);
      at += size;
    }
  }

  template <class Varint>
  void add(std::string const& message, Varint varint) {
    ++samples;
    for (std::size_t at = 0; at < message.size();) {
      const std::uint64_t key = varint(message, at);
      const std::uint64_t size = varint(message, at);
      if (key / 8 == 2) {
        std::size_t i = at;
        for (double& v : values) v += static_cast<double>(varint(message, i));
      }
      at += size;
    }
  }
};

[[gnu::noinline]] std::unique_ptr<char[]> block_of_respond_test(std::size_t size) {
  return std::make_unique<char[]>(size);
}

}  // namespace

// Each test is run in a process of its own: there is one profile for a process.

TEST_CASE("respond: what a profile says is what was allocated") {
  // Rate 1: every word is a sample, and the profile is exact.
  collect_stacks(memprof::sampling_rate{1.0});
  const profile_sums before(get("/debug/pprof/heap").body);
  constexpr int blocks = 500;
  constexpr std::size_t size = 4096;
  {
    std::vector<std::unique_ptr<char[]>> kept;
    kept.reserve(blocks);
    for (int i = 0; i < blocks; ++i) kept.push_back(block_of_respond_test(size));
    const response r = get("/debug/pprof/heap");
    CHECK(r.status == 200);
    CHECK(r.content_type == "application/octet-stream");
    const profile_sums now(r.body);
    const double grown = now.values[3] - before.values[3];
    // The answers themselves leave names in the cache behind; the first one most of all.
    CHECK(grown >= blocks * (size + 8));
    CHECK(grown < blocks * (size + 8) * 1.5);
    CHECK(has(gunzipped(r.body), "block_of_respond_test"));
    CHECK(has(gunzipped(r.body), "inuse_space"));
    CHECK(has(get("/debug/pprof/heap?debug=1").body, "block_of_respond_test"));
  }
  const profile_sums after(get("/debug/pprof/allocs").body);
  CHECK(after.values[1] - before.values[1] >= blocks * (size + 8));
  CHECK(after.values[3] - before.values[3] < blocks * (size + 8) * 0.5);
}

TEST_CASE("respond: a profile has the labels of its blocks") {
  collect_stacks(memprof::sampling_rate{1.0});
  const auto plain = block_of_respond_test(10'000);
  std::unique_ptr<char[]> labelled;
  {
    const memprof::label tenant{"tenant", "outer"};
    const memprof::label l{"request", "GET /x"};
    labelled = block_of_respond_test(20'000);
  }
  const std::string text = get("/debug/pprof/heap?debug=1").body;
  CHECK(has(text, "in blocks of 20000 bytes, request=GET /x, tenant=outer\n"));
  CHECK(has(text, "in blocks of 10000 bytes\n"));
  const std::string profile = gunzipped(get("/debug/pprof/heap").body);
  CHECK(has(profile, "GET /x"));
  CHECK(has(profile, "tenant"));
}

TEST_CASE("respond: totals are within the interval of the process") {
  // At the process's rate the profile gets the samples of the process; all since the start of
  // this test. The test errs if the interval does, with probability 1e-9.
  memprof::set_seed(23);
  const double live_before = static_cast<double>(memprof::live_memory().value.count());
  collect_stacks();
  std::vector<std::unique_ptr<char[]>> kept;
  for (int i = 0; i < 20'000; ++i) {
    kept.push_back(block_of_respond_test(static_cast<std::size_t>(64 + i % 4096)));
  }
  const profile_sums sums(get("/debug/pprof/heap").body);
  const memprof::estimate live = memprof::live_memory(1 - 1e-9);
  CHECK(sums.values[3] >= static_cast<double>(live.lower.count()) - live_before);
  CHECK(sums.values[3] <= static_cast<double>(live.upper.count()));
  CHECK(sums.values[3] > 0);
  const std::string page = get("/metrics").body;
  CHECK(sample(page, "memprof_allocated_bytes_bound{side=\"lower\",confidence=\"0.95\"}") <=
        sample(page, "memprof_allocated_bytes_total"));
  CHECK(sample(page, "memprof_allocated_bytes_total") >= sums.values[3]);
}

TEST_CASE("respond: what changed in some seconds") {
  collect_stacks(memprof::sampling_rate{1.0});
  const auto old = block_of_respond_test(32 << 20);
  std::atomic<bool> end{false};
  std::vector<std::unique_ptr<char[]>> kept;
  std::thread worker([&] {
    for (int i = 0; i < 8 && !end; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      kept.push_back(block_of_respond_test(50'000));
    }
  });
  const response r = get("/debug/pprof/allocs?seconds=1");
  end = true;
  worker.join();
  CHECK(r.status == 200);
  const profile_sums sums(r.body);
  CHECK(sums.values[1] >= 50'008);
  CHECK(sums.values[1] < 16 << 20);
  CHECK(get("/debug/pprof/allocs?seconds=1&debug=1").status == 400);
}

TEST_CASE("respond: delta_heap") {
  collect_stacks(memprof::sampling_rate{1.0});
  const auto old = block_of_respond_test(100'000);
  const profile_sums first(get("/debug/pprof/delta_heap").body);
  CHECK(first.values[1] >= 100'008);
  const profile_sums second(get("/debug/pprof/delta_heap").body);
  CHECK(second.values[3] >= 100'008);  // still live
  const auto later = block_of_respond_test(3'000'000);
  const profile_sums third(get("/debug/pprof/delta_heap").body);
  CHECK(third.values[1] - second.values[1] > 2'000'000);
}

TEST_CASE("respond: a profile of the program's own comes first") {
  memprof::profile own = memprof::start(memprof::sampling_rate{1e-4}, memprof::null_tracker);
  const response r = get("/debug/pprof/heap");
  CHECK(r.status == 503);
  CHECK(has(r.body, "a profile is sampling already"));
  CHECK_THROWS_AS(collect_stacks(), std::logic_error);
  own.stop();
  CHECK(get("/debug/pprof/heap").status == 200);
  CHECK_THROWS_AS(memprof::start(memprof::sampling_rate{1e-4}, memprof::null_tracker),
                  std::logic_error);
}

TEST_CASE("respond: symbols, the command line, the index") {
  CHECK(get("/debug/pprof/symbol").body == "num_symbols: 1\n");
  const auto address = reinterpret_cast<std::uintptr_t>(&block_of_respond_test) + 1;
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "0x%zx", address);
  const std::string asked = std::string(text.data()) + "+0x1+nonsense+";
  for (const response& r :
       {get("/debug/pprof/symbol?" + asked),
        respond({.method = "POST", .target = "/pprof/symbol", .body = asked})}) {
    CHECK(has(r.body, text.data()));
    CHECK(has(r.body, "block_of_respond_test"));
    CHECK(std::ranges::count(r.body, '\n') == 2);
  }
  const std::string words = get("/debug/pprof/cmdline").body;
  CHECK(has(words, "unit_endpoints_test"));
  CHECK_FALSE(words.ends_with('\0'));
  for (auto const* target : {"/debug/pprof", "/debug/pprof/"}) {
    CHECK(has(get(target).body, "/debug/pprof/allocs"));
  }
}

TEST_CASE("respond: hostile requests are refused") {
  CHECK(get("").status == 404);
  CHECK(get("/").status == 404);
  CHECK(get("/debug/pprof/goroutine").status == 404);
  CHECK(get("/debug/pprofile").status == 404);
  CHECK(get("/debug/pprof/../../etc/passwd").status == 404);
  CHECK(get("/" + std::string(1 << 20, 'x')).status == 414);
  CHECK(get("/debug/pprof/heap?" + std::string(9000, '&')).status == 414);
  for (auto const* n : {"0", "-1", "301", "1e9", "", "1;2", "0x1", "99999999999999999999"}) {
    CHECK(get(std::string("/debug/pprof/heap?seconds=") + n).status == 400);
  }
  const std::string body(1 << 20, '+');
  CHECK(respond({.method = "POST", .target = "/debug/pprof/symbol", .body = body}).status == 413);
  const response post = respond({.method = "POST", .target = "/metrics"});
  CHECK(post.status == 405);
  CHECK(post.headers.back() == std::pair<std::string, std::string>("Allow", "GET, HEAD"));
  const response head = respond({.method = "HEAD", .target = "/metrics"});
  CHECK(head.status == 200);
  CHECK(head.body.empty());

  // Any bytes at all get an answer. Seed fixed.
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string target = i % 2 == 0 ? "/debug/pprof/symbol?" : "/debug/pprof/";
    for (auto k = random() % 60; k > 0; --k) target += static_cast<char>(random());
    const int status = respond({.method = "GET", .target = target, .accept = target}).status;
    CHECK((status == 200 || status == 400 || status == 404));
  }
}

TEST_CASE("respond: metrics of limits and budgets") {
  const auto interrupts = [] {
    const std::string page = get("/metrics").body;
    const double tasks = sample(page, "memprof_interrupted_tasks_total{limit=\"allocations\"}");
    CHECK(tasks <= sample(page, "memprof_limit_interrupts_total{limit=\"allocations\"}"));
    return tasks;
  };
  const double before = interrupts();
  auto const r =
      memprof::run_limited({.allocations = 1_MiB, .count = memprof::counting::exact}, [] {
        for (;;) block_of_respond_test(4096);
      });
  CHECK_FALSE(r);
  CHECK(interrupts() == before + 1);

  const memprof::limits allowed{.allocations = 64_MiB, .memory = 2_MiB};
  memprof::budget tenant(allowed);
  {
    const published shown = publish("tenant \"a\"", tenant, allowed);
    CHECK_THROWS_AS(publish("tenant \"a\"", tenant), std::invalid_argument);
    CHECK(tenant.run([] { block_of_respond_test(1 << 20); }));
    const std::string page = get("/metrics").body;
    CHECK(sample(page, R"(memprof_budget_allocated_bytes_total{budget="tenant \"a\""})") ==
          static_cast<double>(tenant.allocated().count()));
    CHECK(sample(page, R"(memprof_budget_limit_bytes{budget="tenant \"a\"",limit="memory"})") ==
          2 << 20);
    CHECK(has(page, R"(memprof_budget_inuse_bytes{budget="tenant \"a\""})"));
  }
  CHECK_FALSE(has(get("/metrics").body, "tenant"));
}

TEST_CASE("respond: metrics of what limits do, while they do it") {
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
        for (int i = 0; i < 1000; ++i) block_of_respond_test(4096);
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

TEST_CASE("respond: families of the program") {
  int calls = 0;
  const published good = publish([&](metrics& page) {
    ++calls;
    page.counter("my_requests", "Mine.").sample(7, {{"of", "test"}});
  });
  const published bad = publish([](metrics& page) {
    page.gauge("half_done", "Never seen.").sample(1);
    throw std::runtime_error("x");
  });
  std::string page = get("/metrics").body;
  CHECK(calls == 1);
  CHECK(sample(page, "my_requests_total{of=\"test\"}") == 7);
  CHECK_FALSE(has(page, "half_done"));
  page = get("/metrics").body;
  CHECK(sample(page, "memprof_failed_families_total") == 1);

  std::optional<published> own;
  own.emplace(publish([&](metrics&) { own.reset(); }));
  CHECK(get("/metrics").status == 200);  // ends its own publication, without a deadlock
  CHECK_FALSE(own);
}

TEST_CASE("respond: a child that was forked while another thread was answered answers, too") {
  std::binary_semaphore inside{0}, forked{0};
  const published slow = publish([&](metrics& page) {
    page.gauge("slow", "A family that takes long.").sample(1);
    if (forked.try_acquire()) return;  // in the child, and later here
    inside.release();
    forked.acquire();
  });
  std::thread asker([] { CHECK(get("/metrics").status == 200); });
  inside.acquire();
  const pid_t child = fork();
  if (child == 0) {
    forked.release();
    alarm(10);  // instead of hanging
    _exit(get("/metrics").status == 200 && get("/debug/pprof/heap").status == 200 ? 0 : 1);
  }
  forked.release();
  asker.join();
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("respond: both formats of metrics") {
  const response text = get("/metrics");
  CHECK(text.content_type == "text/plain; version=0.0.4; charset=utf-8");
  CHECK_FALSE(has(text.body, "# EOF"));
  CHECK(has(text.body, "# TYPE memprof_samples_total counter\n"));
  const response open = get("/metrics", "application/openmetrics-text;version=1.0.0");
  CHECK(open.content_type == "application/openmetrics-text; version=1.0.0; charset=utf-8");
  CHECK(open.body.ends_with("# EOF\n"));
  CHECK(has(open.body, "# TYPE memprof_samples counter\n"));
  CHECK(has(open.body, "# UNIT memprof_inuse_bytes bytes\n"));
}

TEST_CASE("respond: from many threads, while many allocate") {
  collect_stacks(memprof::sampling_rate{0.05});
  std::atomic<bool> end{false};
  std::atomic<int> answered{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&, t] {
        std::mt19937 random(static_cast<unsigned>(t));
        while (!end) block_of_respond_test(random() % 10'000);
      });
    }
    std::vector<std::jthread> askers;
    for (int t = 0; t < 3; ++t) {
      askers.emplace_back([&, t] {
        for (int i = 0; i < 5; ++i) {
          const int status = get(t == 0 ? "/metrics" : "/debug/pprof/heap").status;
          answered += status == 200 || status == 503;
        }
      });
    }
    askers.clear();
    end = true;
  }
  CHECK(answered == 15);
}
