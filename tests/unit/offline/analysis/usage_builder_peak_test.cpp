// SPDX-License-Identifier: MIT
// What is printed of the peak (docs/statistical.md, "The peak"), against simulated traces of
// programs whose peak is known.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <random>
#include <span>
#include <string>
#include <unistd.h>
#include <unordered_map>
#include <vector>

#include "memprof/trace/writer.hpp"

#include "analysis/sample_error.hpp"
#include "analysis/trace_source.hpp"
#include "analysis/usage_builder.hpp"
#include "support/catch2.hpp"
#include "support/coverage.hpp"
#include "unit/offline/analysis/empty_trace.hpp"
#include "unit/offline/analysis/synthetic_events.hpp"

using namespace memprof::analysis;
using namespace memprof::test;
namespace trace = memprof::trace;

namespace {

/// Slots of `words` each (header counted): each always holds a block, which is replaced every
/// `period`, at a moment of the slot's own. So the same amount is in use at every moment, and that
/// is the peak.
struct slots {
  int count, words, blocks_each;
  [[nodiscard]] double bytes() const { return 8.0 * count * words; }
};
constexpr std::int64_t period = 1'000'000;

struct program {
  char const* what;
  double rate;
  std::vector<slots> parts;
  [[nodiscard]] double bytes() const {
    double sum = 0;
    for (slots const& s : parts) sum += s.bytes();
    return sum;
  }
};

slots replaced(double bytes, int blocks_each, int words) {
  return {static_cast<int>(bytes / 8 / words), words, blocks_each};
}

/// The events of one run: f(event), in the order of their times, deaths first.
class simulation {
 public:
  explicit simulation(std::uint64_t seed) : random_(seed) {}

  template <class F>
  void run(program const& p, F&& f) {
    events_.clear();
    for (slots const& c : p.parts) {
      const double tracked = 1 - std::pow(1 - p.rate, c.words);
      if (tracked > 0.01) {
        for (int slot = 0; slot < c.count; ++slot) {
          const auto phase = static_cast<std::int64_t>(random_() % period);
          for (int turn = 0; turn < c.blocks_each; ++turn) {
            if (std::uniform_real_distribution<>()(random_) < tracked) add(p, c, turn, phase);
          }
        }
        continue;
      }
      // Few of many blocks: the same one twice is too rare to matter.
      std::binomial_distribution<int> sampled(c.count * c.blocks_each, tracked);
      for (int i = sampled(random_); i > 0; --i) {
        const auto turn = static_cast<int>(random_() % static_cast<unsigned>(c.blocks_each));
        add(p, c, turn, static_cast<std::int64_t>(random_() % period));
      }
    }
    std::stable_sort(events_.begin(), events_.end(), [](auto const& a, auto const& b) {
      if (a.time != b.time) return a.time < b.time;
      return a.kind == trace::event_kind::collection && b.kind != a.kind;
    });
    for (trace::event const& e : events_) f(e);
  }

 private:
  void add(program const& p, slots const& c, int turn, std::int64_t phase) {
    const std::int64_t gone = turn * period + phase;
    const auto id = static_cast<trace::object_id>(next_++);
    events_.push_back(allocation(std::max<std::int64_t>(gone - period, 0), id,
                                 static_cast<std::uint64_t>(c.words) - 1, samples(p, c)));
    if (turn + 1 < c.blocks_each) events_.push_back(collection(gone, id));
  }
  /// Of Binomial(words, rate), given that there are some: by inversion, from 1 on.
  std::uint64_t samples(program const& p, slots const& c) {
    const double none = std::pow(1 - p.rate, c.words);
    double left = std::uniform_real_distribution<>()(random_) * (1 - none);
    double mass = none * c.words * p.rate / (1 - p.rate);
    int n = 1;
    for (; left > mass && n < c.words; ++n) {
      left -= mass;
      mass *= (c.words - n) * p.rate / ((n + 1) * (1 - p.rate));
    }
    return static_cast<std::uint64_t>(n);
  }

  std::mt19937_64 random_;
  std::uint64_t next_ = 0;  // ids of their own in each run: halves follow from them
  std::vector<trace::event> events_;
};

const std::vector<program> programs{
    {"100 MB, each block 60 times, at 1e-6", 1e-6, {replaced(100e6, 60, 25)}},
    {"100 MB, each block 10 times, at 1e-6", 1e-6, {replaced(100e6, 10, 25)}},
    {"1 GB, each block 10 times, at 1e-6", 1e-6, {replaced(1e9, 10, 25)}},
    {"4 GB in blocks of 80 MB, at 1e-6", 1e-6, {replaced(4e9, 10, 10'000'000)}},
    {"90 MB that stay, 10 MB that do not, at 1e-6",
     1e-6,
     {replaced(90e6, 1, 25), replaced(10e6, 30, 3)}},
    {"10 MB at 1e-4", 1e-4, {replaced(10e6, 10, 10)}},
    {"4 kB at a rate of 0.2", 0.2, {replaced(4000, 10, 10)}},
};

constexpr int runs = 600;

}  // namespace

TEST_CASE("the peak is estimated without bias, and its interval holds it") {
  for (program const& p : programs) {
    const trace::reader reader = empty_trace(p.rate);
    sample_errors errors(reader.info());
    simulation s(20261124);
    const double truth = p.bytes();
    coverage_count total(p.what, 0.05), bound("  never over", 0.025), objects("  objects", 0.05);
    double blocks = 0;
    for (slots const& c : p.parts) blocks += c.count;
    for (int i = 0; i < runs; ++i) {
      usage_builder b(reader.info(), {});
      s.run(p, [&](trace::event const& e) { b.add(e, reader); });
      const usage u = b.finish();
      const auto m = u.moment_of(measure::peak);
      const auto e = errors.estimate(u.total.at_peak.samples, m);
      total.add(truth, e.value, e.lower, e.upper);
      const auto most = errors.estimate(u.most);
      bound.add(truth, most.value, 0, most.upper);
      const auto o = objects_estimate(reader.info(), u.total.at_peak, m);
      objects.add(blocks, o.value, o.lower, o.upper);
    }
    for (coverage_count const* c : {&total, &bound, &objects}) {
      c->print();
      CHECK(c->misses() <= c->most_misses());
    }
    CHECK(std::fabs(total.bias_in_deviations()) < coverage_count::most_deviations);
    CHECK(std::fabs(objects.bias_in_deviations()) < coverage_count::most_deviations);
  }
}

TEST_CASE("what a site held at the peak, and at its own") {
  // Each row of a usage by size is a site here: 30 MB in blocks of 3 words, 70 MB of 20.
  const program p{"", 1e-6, {replaced(30e6, 30, 3), replaced(70e6, 30, 20)}};
  const trace::reader reader = empty_trace(p.rate);
  sample_errors errors(reader.info());
  usage_options options;
  options.by_size = true;
  options.lifetimes = true;
  coverage_count at_peak("30 MB of 100 MB, at the peak of all", 0.05);
  coverage_count own("70 MB, at its own peak", 0.05);
  simulation s(20261125);
  for (int i = 0; i < runs; ++i) {
    usage_builder b(reader.info(), options);
    s.run(p, [&](trace::event const& e) { b.add(e, reader); });
    const usage u = b.finish();
    for (std::size_t k = 0; k < u.rows.size(); ++k) {
      const bool small = u.rows[k].length == 2;
      const auto n = small ? u.rows[k].sums.at_peak.samples : u.lifetimes[k].most.samples;
      const auto e = errors.estimate(n, moment::picked);
      (small ? at_peak : own).add(small ? 30e6 : 70e6, e.value, e.lower, e.upper);
    }
  }
  for (coverage_count const* c : {&at_peak, &own}) {
    c->print();
    CHECK(c->draws() == runs);
    CHECK(c->misses() <= c->most_misses());
    CHECK(std::fabs(c->bias_in_deviations()) < coverage_count::most_deviations);
  }
}

TEST_CASE("what is chosen as live at the peak comes to what was in use there") {
  const program p{"chosen as live at the peak", 1e-6, {replaced(100e6, 20, 25)}};
  const auto file = std::filesystem::temp_directory_path() /
                    ("memprof-live-at-peak-" + std::to_string(::getpid()) + ".ctf");
  trace::info info;
  info.sample_rate = p.rate;
  sample_errors errors(info);
  coverage_count chosen(p.what, 0.05);
  simulation s(20261126);
  for (int i = 0; i < 500; ++i) {
    // In each file ids begin anew; halves follow from the start of the trace, too.
    info.start_time = trace::info{}.start_time + std::chrono::microseconds{i};
    trace::writer w(file, info,
                    [](trace::location_code) { return std::span<trace::location const>{}; });
    std::unordered_map<trace::object_id, trace::object_id> written;
    s.run(p, [&](trace::event const& e) {
      if (e.kind == trace::event_kind::allocation) {
        written[e.object] = w.allocation(e.time, e.source, e.length, e.n_samples, {});
      } else {
        w.collection(e.time, written.at(e.object));
      }
    });
    w.close();
    trace_source source(file.string(), false);
    usage_options options;
    options.chosen.live_at_peak = true;
    const usage u = read_usage(source, options);
    REQUIRE(u.total.at_peak == u.total.allocated);
    const auto e = errors.estimate(u.total.allocated.samples, u.moment_of(measure::allocated));
    chosen.add(100e6, e.value, e.lower, e.upper);
  }
  std::filesystem::remove(file);
  chosen.print();
  CHECK(chosen.misses() <= chosen.most_misses());
  CHECK(std::fabs(chosen.bias_in_deviations()) < coverage_count::most_deviations);
}

TEST_CASE("a program that only grows has its peak at its end") {
  const trace::reader reader = empty_trace(1e-6);
  for (std::uint64_t run = 0; run < 50; ++run) {
    usage_builder b(reader.info(), {});
    for (std::uint64_t i = 0; i < 125; ++i) {
      b.add(allocation(static_cast<std::int64_t>(i), run * 125 + i, 9), reader);
    }
    const usage u = b.finish();
    // At rates this low each sample is in one half.
    CHECK(u.total.at_peak == u.total.in_use);
  }
}

TEST_CASE("at rate 1 the peak is exact") {
  const trace::reader reader = empty_trace(1);
  sample_errors errors(reader.info());
  usage_builder b(reader.info(), {});
  b.add(allocation(0, 0, 9, 10), reader);
  b.add(allocation(1, 1, 4, 5), reader);
  b.add(collection(2, 0), reader);
  b.add(allocation(3, 2, 8, 9), reader);
  b.add(allocation(4, 3, 6, 7), reader);
  b.add(collection(5, 1), reader);
  const usage u = b.finish();
  const auto e = errors.estimate(u.total.at_peak.samples, u.moment_of(measure::peak));
  CHECK(e.value == 8 * 21);
  CHECK(e.lower == e.value);
  CHECK(e.upper == e.value);
  CHECK(u.total.at_peak.samples == u.most);
  CHECK(u.peak_time == std::chrono::microseconds{4});
}
