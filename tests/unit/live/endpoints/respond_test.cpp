// SPDX-License-Identifier: MIT
#include "memprof/serve/respond.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <random>
#include <semaphore>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "memprof/memprof.hpp"

#include "answers.hpp"
#include "support/catch2.hpp"

using namespace memprof::serve;
using namespace memprof::test;

TEST_CASE("respond: symbols, the command line, the index") {
  CHECK(get("/debug/pprof/symbol").body == "num_symbols: 1\n");
  const auto address = reinterpret_cast<std::uintptr_t>(&named_block) + 1;
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "0x%zx", address);
  const std::string asked = std::string(text.data()) + "+0x1+nonsense+";
  for (const response& r :
       {get("/debug/pprof/symbol?" + asked),
        respond({.method = "POST", .target = "/pprof/symbol", .body = asked})}) {
    CHECK(has(r.body, text.data()));
    CHECK(has(r.body, "named_block"));
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
        while (!end) named_block(random() % 10'000);
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
