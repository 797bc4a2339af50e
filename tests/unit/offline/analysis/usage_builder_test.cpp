// SPDX-License-Identifier: MIT
#include "analysis/usage_builder.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <random>
#include <span>
#include <string>
#include <unistd.h>

#include "memprof/trace/reader.hpp"
#include "memprof/trace/writer.hpp"

#include "support/catch2.hpp"
#include "unit/offline/analysis/synthetic_events.hpp"

using namespace memprof::analysis;
using namespace memprof::test;
namespace trace = memprof::trace;

namespace {

/// A reader of an empty trace of this rate.
trace::reader empty_trace(double rate) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("memprof-usage-builder-test-" + std::to_string(::getpid()) + ".ctf");
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

TEST_CASE("usage: amounts at the peak and greatest ones, against a count of everything") {
  std::mt19937_64 random(3);
  for (int round = 0; round < 20; ++round) {
    const trace::reader reader = empty_trace(0.5);
    usage_options options;
    options.by_size = true;
    options.lifetimes = true;
    usage_builder b(reader.info(), options);
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
    const usage u = b.finish();
    CHECK(u.total.at_peak.samples == peak);
    CHECK(u.total.in_use.samples == total);
    for (std::size_t i = 0; i < u.rows.size(); ++i) {
      usage_row const& r = u.rows[i];
      CHECK(r.sums.in_use.samples == now[r.length]);
      CHECK(r.sums.at_peak.samples == at_peak[r.length]);
      CHECK(u.lifetimes[i].most.samples == most[r.length]);
      CHECK(r.sums.in_use.objects == Approx(static_cast<double>(r.sums.in_use.samples) /
                                            (0.5 * static_cast<double>(r.length + 1))));
    }
  }
}
