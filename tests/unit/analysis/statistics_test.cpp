// SPDX-License-Identifier: MIT
// Histograms, alloc_stats, series, survival and stack profiles on events that were thought up; what
// golden traces say of them is tests/tools/stats_test.py.
#include <cmath>
#include <filesystem>
#include <map>
#include <random>
#include <unistd.h>
#include <vector>

#include "memprof/trace/reader.hpp"
#include "memprof/trace/writer.hpp"

#include "analysis/analysis.hpp"
#include "support/catch2.hpp"

using namespace memprof::analysis;
namespace trace = memprof::trace;
using std::chrono::microseconds;

namespace {

trace::event allocation(std::int64_t time, trace::object_id id, std::uint64_t length,
                        std::uint64_t samples = 1, trace::heap heap = trace::heap::major) {
  trace::event e;
  e.time = microseconds{time};
  e.object = id;
  e.length = length;
  e.n_samples = samples;
  e.source = heap;
  return e;
}

trace::event later(trace::event_kind kind, std::int64_t time, trace::object_id id) {
  trace::event e;
  e.kind = kind;
  e.time = microseconds{time};
  e.object = id;
  return e;
}
trace::event collection(std::int64_t time, trace::object_id id) {
  return later(trace::event_kind::collection, time, id);
}

/// A reader of an empty trace of this rate.
trace::reader empty_trace(double rate) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("memprof-statistics-test-" + std::to_string(::getpid()) + ".ctf");
  trace::info info;
  info.sample_rate = rate;
  trace::writer(file, info, [](trace::location_code) {
    return std::span<trace::location const>{};
  }).close();
  trace::reader reader(file);
  trace::event e;
  while (reader.next(e)) {
  }
  std::filesystem::remove(file);
  return reader;
}

}  // namespace

TEST_CASE("linear histograms: edges are exact, the last bin holds both of its edges") {
  const std::vector<std::int64_t> values{0, 1, 31, 32, 33, -1, 16};
  const auto bins = linear_histogram(values, 0, 32, 32);
  CHECK(bins[0] == 1);
  CHECK(bins[1] == 1);
  CHECK(bins[16] == 1);
  CHECK(bins[31] == 2);
  const std::vector<std::int64_t> same{7, 7};
  CHECK(linear_histogram(same, 7, 7, 100)[0] == 2);
  // 3 * 1e18 / 7 lies on no double.
  const std::vector<std::int64_t> large{3'000'000'000'000'000'000 / 7 + 1,
                                        3'000'000'000'000'000'000 / 7};
  CHECK(linear_histogram(large, 0, 1'000'000'000'000'000'000, 7) ==
        std::vector<std::uint64_t>{0, 0, 1, 1, 0, 0, 0});
}

TEST_CASE("logarithmic histograms: every value lies between the edges of its bin") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t v = random() >> (random() % 64);
    const std::size_t bin = log_histogram::bin_of(v);
    REQUIRE(bin < log_histogram::bin_count);
    REQUIRE(log_histogram::lower_edge(bin) <= v);
    const std::uint64_t upper = log_histogram::lower_edge(bin + 1);
    REQUIRE((v < upper || upper == ~std::uint64_t{0}));
    REQUIRE(static_cast<double>(upper - log_histogram::lower_edge(bin)) <=
            std::max(1.0, static_cast<double>(v) / 8 * 1.0001));
  }
  log_histogram h;
  for (std::uint64_t v = 1; v <= 1000; ++v) h.add(v, 2);
  CHECK(h.weight() == 2000);
  CHECK(h.quantile(0.5) == Approx(500).epsilon(0.02));
  CHECK(h.bins().front().lower == 1);
  CHECK(h.bins().back().upper > 1000);
}

TEST_CASE("alloc_stats: promoted blocks count from their promotion, minor deaths not at all") {
  alloc_stats_builder b;
  b.add(allocation(10, 0, 5, 3, trace::heap::minor));
  b.add(allocation(20, 1, 7, 1, trace::heap::minor));
  b.add(later(trace::event_kind::promotion, 30, 1));  // tick 0
  b.add(collection(35, 0));                           // nothing
  b.add(allocation(40, 2, 300));                      // tick 1
  b.add(collection(90, 1));                           // tick 2
  b.add(collection(95, 77));                          // unknown
  const alloc_stats a = b.finish();
  CHECK(a.events == 3);
  CHECK(a.allocations == 2);
  CHECK(a.over_256 == 1);
  CHECK(a.count_by_size == std::map<std::uint64_t, std::uint64_t>{{7, 1}, {300, 1}});
  CHECK(a.moments.mean == 153.5);
  CHECK(a.ticks.survivors == 1);
  CHECK((a.ticks.min == 2 && a.ticks.max == 2));
  CHECK((a.time.min == 50 && a.time.max == 60));
  CHECK((a.time_as_notebook.min == 0 && a.time_as_notebook.max == 20));
}

TEST_CASE("series: bounded, and the same whatever the order of events and the number of steps") {
  series_builder s;
  std::mt19937_64 random(2);
  std::uint64_t allocated = 0, freed = 0;
  for (int i = 0; i < 20'000; ++i) {
    const microseconds at{static_cast<std::int64_t>(random() % 50'000'000)};
    s.allocated(at, 3);
    allocated += 3;
    if (i % 2 == 0) {
      s.freed(at + microseconds{1'000'000}, 3);
      freed += 3;
    }
  }
  const time_series r = s.finish();
  CHECK(r.steps.size() <= series_builder::most);
  CHECK(r.steps.size() > series_builder::most / 4);
  std::uint64_t sum = 0;
  for (auto const& step : r.steps) sum += step.allocated;
  CHECK(sum == allocated);
  CHECK(r.steps.back().live == allocated - freed);
}

TEST_CASE("survival: Kaplan and Meier's estimator, with Greenwood's error") {
  survival_builder b;
  // Exact bins below 16. 10 at risk: 2 die at 1; 2 are lost at 2; 3 die at 3; 3 live on at 15.
  b.died(1, 2);
  b.still_lives(2, 1);
  b.still_lives(2, 1);
  for (int i = 0; i < 3; ++i) b.died(3, 1);
  for (int i = 0; i < 3; ++i) b.still_lives(15, 1);
  const auto curve = b.curve();
  REQUIRE(curve.size() == 5);
  CHECK(curve[1].share == Approx(0.8));
  CHECK(curve[2].share == Approx(0.8));
  CHECK(curve[3].share == Approx(0.8 * 0.5));
  CHECK(curve[3].age == 4);
  CHECK(curve[4].share == Approx(0.4));
  CHECK(curve[4].at_risk == 0);
  // sum n^2 / sum n = (4 + 8) / 10; Greenwood 2/(10*8) + 3/(6*3)
  const double error =
      std::sqrt((2.0 / 80 + 3.0 / 18) * 1.2) / std::abs(std::log(0.4)) * 1.959963984540054;
  CHECK(curve[3].lower == Approx(std::pow(0.4, std::exp(error))));
  CHECK(curve[3].upper == Approx(std::pow(0.4, std::exp(-error))));
  CHECK(b.mean_age_at_death() == Approx((2 + 9) / 5.0));
}

TEST_CASE("stack profiles: amounts at the peak and greatest ones, against a count of everything") {
  std::mt19937_64 random(3);
  for (int round = 0; round < 20; ++round) {
    const trace::reader reader = empty_trace(0.5);
    stack_profile_builder b({}, true);
    struct block {
      std::uint64_t length, samples;
    };
    std::map<trace::object_id, block> live;
    std::map<std::uint64_t, std::uint64_t> now, at_peak, most;
    std::uint64_t total = 0, peak = 0;
    for (std::int64_t time = 0; time < 400; ++time) {
      if (live.empty() || random() % 5 < (time < 250 ? 3U : 1U)) {
        const block made{random() % 4, 1 + random() % 3};
        const auto id = static_cast<trace::object_id>(time);
        b.add(allocation(time, id, made.length, made.samples), reader);
        live[id] = made;
        now[made.length] += made.samples;
        most[made.length] = std::max(most[made.length], now[made.length]);
        total += made.samples;
        if (total > peak) {
          peak = total;
          at_peak = now;
        }
      } else {
        const auto gone = std::next(live.begin(), static_cast<long>(random() % live.size()));
        b.add(collection(time, gone->first), reader);
        now[gone->second.length] -= gone->second.samples;
        total -= gone->second.samples;
        live.erase(gone);
      }
    }
    const stack_profile p = b.finish();
    CHECK(p.peak_samples == peak);
    CHECK(p.live_samples == total);
    for (stack_row const& r : p.rows) {
      CHECK(r.live.samples == now[r.length]);
      CHECK(r.at_peak.samples == at_peak[r.length]);
      CHECK(r.most.samples == most[r.length]);
      CHECK(r.live.blocks == Approx(static_cast<double>(r.live.samples) /
                                    (0.5 * static_cast<double>(r.length + 1))));
    }
  }
}

TEST_CASE("intervals: exact where there are few samples, and none at rate 1") {
  trace::info info;
  info.sample_rate = 1e-4;
  const auto e = estimated_bytes(info, 400);
  CHECK(e.value == Approx(400 / 1e-4 * 8));
  CHECK(e.relative_error() == Approx(1.96 / 20).epsilon(0.1));
  const auto many = estimated_bytes(info, 99'999), more = estimated_bytes(info, 100'001);
  CHECK(many.lower == Approx(more.lower).epsilon(1e-4));
  CHECK(many.upper == Approx(more.upper).epsilon(1e-4));
  CHECK(estimated_bytes(info, 0).lower == 0);
  info.sample_rate = 1;
  CHECK(estimated_bytes(info, 7).upper == 56);
  CHECK(estimated_bytes(info, 7).lower == 56);
  info.sample_rate = 1e-4;
  CHECK(std::isfinite(estimated_bytes(info, ~std::uint64_t{0}).upper));
  const auto half = estimated_share(50, 100);
  CHECK(half.lower == Approx(0.4038).epsilon(1e-3));
  CHECK(half.upper == Approx(0.5962).epsilon(1e-3));
}
