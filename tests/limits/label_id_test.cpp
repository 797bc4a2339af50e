// SPDX-License-Identifier: MIT
//
// memprof::label with the key trace_id: a limit that is hit inside it names it in traced_hits().
#include <chrono>
#include <new>
#include <optional>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "memprof/label.hpp"
#include "memprof/memprof.hpp"

#include "limits/labels_now.hpp"
#include "support/allocate.hpp"
#include "support/catch2.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;
using std::chrono::system_clock;

/// Hits the limit on allocations.
void hit_limit() {
  exactly fixture;
  const auto r =
      run_limited({.allocations = 1_KiB, .count = counting::exact}, [] { churn(10_kw); });
  CHECK(!r);
}

std::optional<traced_hit> last_hit(limit_kind kind) {
  for (traced_hit const& h : traced_hits()) {
    if (h.kind == kind) return h;
  }
  return std::nullopt;
}

std::string last_id(limit_kind kind = limit_kind::allocations) {
  const auto h = last_hit(kind);
  return h ? h->trace_id : "none";
}

TEST_CASE("trace_id: the last hit of each kind, at its time", "[label]") {
  hit_limit();
  CHECK(last_id() == "none");  // the first test of all: no id, no exemplar
  const auto before = system_clock::now();
  {
    label const id{"trace_id", "4bf92f3577b34da6a3ce929d0e0e4736"};
    label const route{"route", "/x"};
    CHECK(labels_now() == pairs{{"route", "/x"}, {"trace_id", "4bf92f3577b34da6a3ce929d0e0e4736"}});
    hit_limit();
  }
  const auto after = system_clock::now();
  CHECK(labels_now().empty());
  CHECK(current_label_set() == 0);
  hit_limit();  // without one it stays
  const auto h = last_hit(limit_kind::allocations);
  REQUIRE(h);
  CHECK(h->trace_id == "4bf92f3577b34da6a3ce929d0e0e4736");
  CHECK(h->when >= std::chrono::floor<std::chrono::milliseconds>(before));
  CHECK(h->when <= after);

  token t;
  t.set();
  label const id{"trace_id", "of a token"};
  CHECK_FALSE(limit_with_token(t, [] {}));
  CHECK(last_id(limit_kind::token) == "of a token");
  CHECK(last_id() == h->trace_id);
}

TEST_CASE("trace_id: the innermost counts, an empty one hides that around it", "[label]") {
  label const outer{"trace_id", "outer"};
  {
    label const inner{"trace_id", "inner"};
    hit_limit();
    CHECK(last_id() == "inner");
  }
  {
    label const none{"trace_id", ""};
    CHECK(labels_now().empty());
    hit_limit();
    CHECK(last_id() == "inner");
  }
  hit_limit();
  CHECK(last_id() == "outer");
}

TEST_CASE("trace_id: many ids take no label set, and samples do not have them", "[label]") {
  exactly fixture;
  std::uint64_t const before = labels_left_out();
  for (int i = 0; i < 5000; ++i) label const l{"trace_id", std::to_string(i)};
  CHECK(labels_left_out() == before);
  std::vector<std::uint32_t> seen;
  seen.reserve(10);
  label const route{"route", "/y"};
  std::uint32_t const alone = current_label_set();
  label const id{"trace_id", "not in profiles"};
  CHECK(current_label_set() != alone);
  auto p = start(sampling_rate{1.0}, tracker<int, int>{.alloc_minor = [&](allocation const& a) {
                   seen.push_back(a.labels);
                   return std::optional<int>{};
                 }});
  release(allocate(small_block), small_block);
  p.stop();
  CHECK(seen == std::vector<std::uint32_t>{alone});
}

TEST_CASE("trace_id: one that longjmp left ends with that around it", "[label]") {
  alignas(label) unsigned char memory[sizeof(label)];
  {
    label const id{"trace_id", "around"};
    {
      label const route{"route", "/jumps"};
      ::new (static_cast<void*>(memory)) label{"trace_id", "is left"};
      CHECK(labels_now() == pairs{{"route", "/jumps"}, {"trace_id", "is left"}});
    }
    CHECK(labels_now() == pairs{{"trace_id", "around"}});
  }
  CHECK(current_label_set() == 0);
  std::optional<label> first, second;
  first.emplace("trace_id", "ends first");
  second.emplace("trace_id", "ends second");
  first.reset();
  label const other{"trace_id", "takes the slot"};
  second.reset();
  CHECK(labels_now() == pairs{{"trace_id", "takes the slot"}});
}

TEST_CASE("trace_id: that of a task that hops goes with it", "[label]") {
  budget account({});
  budget_handle const task = account.handle();
  std::optional<label> in_task;
  label const mine{"trace_id", "first thread"};
  task.resume([&] { in_task.emplace("trace_id", "hops"); });
  CHECK(labels_now() == pairs{{"trace_id", "first thread"}});
  in_thread([&] {
    label const theirs{"trace_id", "second thread"};
    pairs inside;
    task.resume([&] {
      inside = labels_now();
      in_task.reset();
    });
    CHECK(inside == pairs{{"trace_id", "hops"}});
    CHECK(labels_now() == pairs{{"trace_id", "second thread"}});
  });
}

TEST_CASE("trace_id: a forked child has it, and hits of its own", "[label]") {
  label const id{"trace_id", "of the parent"};
  hit_limit();
  pid_t const child = fork();
  if (child == 0) {
    bool right =
        labels_now() == pairs{{"trace_id", "of the parent"}} && last_id() == "of the parent";
    label const own{"trace_id", "of the child"};
    hit_limit();
    right = right && last_id() == "of the child";
    _exit(right ? 0 : 1);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(last_id() == "of the parent");
}

}  // namespace
}  // namespace memprof::test
