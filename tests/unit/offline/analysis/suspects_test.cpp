// SPDX-License-Identifier: MIT
// Traces made here, of programs whose faults are known; and the two of the announcement.
#include "analysis/suspects.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <random>
#include <span>
#include <unistd.h>

#include "memprof/trace/writer.hpp"

#include "analysis/trace_source.hpp"
#include "support/catch2.hpp"
#include "support/traces.hpp"

using namespace memprof::analysis;
namespace trace = memprof::trace;
using std::chrono::microseconds;

namespace {

/// A block: one sample.
struct life {
  trace::location_code code;
  std::int64_t born;
  std::int64_t gone;  // < 0: never
};

index_usage usage_of_lives(std::vector<life> lives) {
  static int number = 0;
  const auto file =
      std::filesystem::temp_directory_path() /
      ("memprof-suspects-" + std::to_string(::getpid()) + "-" + std::to_string(number++) + ".ctf");
  struct change {
    std::int64_t time;
    bool birth;
    std::size_t index;
  };
  std::vector<change> changes;
  for (std::size_t i = 0; i < lives.size(); ++i) {
    changes.push_back({lives[i].born, true, i});
    if (lives[i].gone >= 0) changes.push_back({lives[i].gone, false, i});
  }
  std::stable_sort(changes.begin(), changes.end(), [](change const& a, change const& b) {
    return a.time != b.time ? a.time < b.time : a.birth > b.birth;
  });
  {
    trace::info info;
    info.sample_rate = 1e-4;
    info.executable_name = "test";
    trace::location place;
    trace::writer out(file, info, [&](trace::location_code code) {
      static char const* const names[] = {"", "Zero.f", "One.f", "Two.f", "Three.f", "Main.run"};
      place = {"m.ml", names[code], static_cast<std::uint32_t>(code), 0, 1};
      return std::span(&place, 1);
    });
    std::vector<trace::object_id> ids(lives.size());
    for (change const& c : changes) {
      const auto time = microseconds{c.time};
      if (!c.birth) {
        out.collection(time, ids[c.index]);
        continue;
      }
      const trace::location_code codes[] = {5, lives[c.index].code};
      ids[c.index] = out.allocation(time, trace::heap::minor, 9, 1, codes);
    }
    out.close();
  }
  trace_source source(file.string(), false);
  auto index = std::make_shared<trace_index const>(source, nullptr);
  std::filesystem::remove(file);
  return usage_of(std::move(index), {});
}

constexpr std::int64_t end = 1'000'000;
constexpr trace::location_code zero = 1, one = 2, two = 3, three = 4;

std::int64_t uniform(std::mt19937& random, std::int64_t below) {
  return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(below));
}

/// Blocks that live for about a thousandth of the trace, all along: of no interest.
void add_garbage(std::vector<life>& lives, trace::location_code code, std::mt19937& random) {
  for (int i = 0; i < 2000; ++i) {
    const std::int64_t born = uniform(random, end);
    const std::int64_t gone = born + uniform(random, 2000);
    lives.push_back({code, born, gone <= end ? gone : -1});
  }
}

std::size_t count(suspects const& s) { return s.leaks.size() + s.queues.size() + s.caches.size(); }

}  // namespace

TEST_CASE("steady growth is a leak, and garbage is nothing") {
  std::mt19937 random(1);
  std::vector<life> lives;
  add_garbage(lives, zero, random);
  for (int i = 0; i < 100; ++i) lives.push_back({one, i * 10'000, -1});
  const index_usage u = usage_of_lives(lives);
  const suspects s = find_suspects(u);
  REQUIRE(s.leaks.size() == 1);
  CHECK(count(s) == 1);
  CHECK(s.leaks[0].function == "One.f");
  CHECK(s.leaks[0].held.blocks == 100);
  // 100 samples of 80 KB, lower end of the interval.
  CHECK(s.leaks[0].score == Approx(81.364 * 80e3).epsilon(1e-3));
  REQUIRE(s.leaks[0].evidence.size() == 5);
  CHECK(s.leaks[0].evidence[1].find("25, 25, 25 and 25") != std::string::npos);
  CHECK(s.leaks[0].evidence[4] == "100.0 % of it by way of Main.run.");
  CHECK(s.leaks[0].narrowed ==
        std::vector<named_text>{{"function", "=One.f"}, {"live-at-end", "1"}});
  CHECK(s.leaks[0].live.steps.back().live == 100);
  CHECK(usage_of(u.index, selection_of(s.leaks[0].narrowed)).total.in_use.blocks == 100);
}

TEST_CASE("a queue that balloons and drains") {
  std::mt19937 random(2);
  std::vector<life> lives;
  add_garbage(lives, zero, random);
  // Until half of the time twice as much comes as goes; then nothing comes.
  for (int i = 0; i < 500; ++i) lives.push_back({two, i * 1000, i * 2000 + 1});
  const suspects s = find_suspects(usage_of_lives(lives));
  REQUIRE(s.queues.size() == 1);
  CHECK(count(s) == 1);
  CHECK(s.queues[0].function == "Two.f");
  CHECK(s.queues[0].held.blocks >= 249);
  CHECK(s.queues[0].held.blocks <= 251);
  const auto shown = usage_of(usage_of_lives(lives).index, selection_of(s.queues[0].narrowed));
  CHECK(shown.total.allocated.blocks >= s.queues[0].held.blocks);
}

TEST_CASE("what is filled once and stays is a cache") {
  std::mt19937 random(3);
  std::vector<life> lives;
  add_garbage(lives, zero, random);
  for (int i = 0; i < 60; ++i) lives.push_back({three, i * 2000, -1});
  const suspects s = find_suspects(usage_of_lives(lives));
  REQUIRE(s.caches.size() == 1);
  CHECK(count(s) == 1);
  CHECK(s.caches[0].function == "Three.f");
}

TEST_CASE("few samples and steady turnover are no suspicion") {
  std::mt19937 random(4);
  std::vector<life> lives;
  add_garbage(lives, zero, random);
  for (int i = 0; i < 19; ++i) lives.push_back({one, i * 50'000, -1});
  // A ring of 100: each lives until the hundredth after it.
  for (int i = 0; i < 1000; ++i) {
    lives.push_back({two, i * 1000, i + 100 < 1000 ? (i + 100) * 1000 : -1});
  }
  CHECK(count(find_suspects(usage_of_lives(lives))) == 0);
}

TEST_CASE("sites whose lifetimes are drawn at random are hardly ever suspected") {
  // 300 sites' worth: at a chance of 3e-7 for each none is named.
  std::mt19937 random(5);
  std::size_t named = 0;
  for (int run = 0; run < 300; ++run) {
    std::vector<life> lives;
    for (int i = 0; i < 200; ++i) {
      const std::int64_t born = uniform(random, end);
      const std::int64_t gone = born + uniform(random, end / 4);
      lives.push_back({one, born, gone <= end ? gone : -1});
    }
    const suspects s = find_suspects(usage_of_lives(lives));
    named += s.queues.size() + s.leaks.size();
  }
  CHECK(named == 0);
}

TEST_CASE("the announcement's leak and its queue are found") {
  const auto found = [](char const* name) -> std::optional<suspects> {
    const auto file = memprof_test::traces_directory() / name;
    if (!std::filesystem::exists(file)) return std::nullopt;
    trace_source source(file.string(), false);
    return find_suspects(usage_of(std::make_shared<trace_index const>(source, nullptr), {}, true));
  };
  for (char const* name : {"leaky.ctf", "leaky_dense.ctf"}) {
    if (const auto s = found(name)) {
      INFO(name);
      REQUIRE_FALSE(s->leaks.empty());
      CHECK(s->leaks[0].function == "Dune__exe__Leaky.Metrics.record");
      CHECK(s->queues.empty());
    }
  }
  if (const auto s = found("queue_balloon.ctf")) {
    REQUIRE_FALSE(s->queues.empty());
    CHECK(s->leaks.empty());
    bool producer = false;
    for (suspect const& q : s->queues) {
      producer = producer || q.function == "Dune__exe__Queue_balloon.Producer.make";
    }
    CHECK(producer);
  }
}
