// SPDX-License-Identifier: MIT
#include "analysis/usage_builder.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <random>

#include "support/catch2.hpp"
#include "unit/offline/analysis/empty_trace.hpp"
#include "unit/offline/analysis/synthetic_events.hpp"

using namespace memprof::analysis;
using namespace memprof::test;
namespace trace = memprof::trace;

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
      sample_halves halves;
    };
    /// Samples by length, and in all.
    struct sums {
      std::map<std::uint64_t, std::uint64_t> by_length;
      std::uint64_t all = 0;
    };
    std::map<trace::object_id, block> live;
    sums now, peak;
    // Of each half, now and when the other half had most; the same for each length by itself.
    std::array<sums, 2> half, at_peak;
    std::array<std::uint64_t, 2> most{};
    std::map<std::uint64_t, std::array<std::uint64_t, 2>> own_at_peak, own_most;
    for (std::int64_t time = 0; time < 400; ++time) {
      if (live.empty() || random() % 5 < (time < 250 ? 3U : 1U)) {
        const auto id = static_cast<trace::object_id>(round * 1000 + time);
        block made{random() % 4, 1 + random() % 3, {}};
        made.halves = sample_splitter(reader.info())(made.samples, id);
        b.add(allocation(time, id, made.length, made.samples), reader);
        live[id] = made;
        now.by_length[made.length] += made.samples;
        now.all += made.samples;
        if (now.all > peak.all) peak = now;
        const std::array<std::uint64_t, 2> parts{made.halves.first, made.halves.second};
        for (std::size_t h = 0; h < 2; ++h) {
          half[h].by_length[made.length] += parts[h];
          half[h].all += parts[h];
        }
      } else {
        const auto gone = std::next(live.begin(), static_cast<long>(random() % live.size()));
        block const& lost = gone->second;
        b.add(collection(time, gone->first), reader);
        now.by_length[lost.length] -= lost.samples;
        now.all -= lost.samples;
        half[0].by_length[lost.length] -= lost.halves.first;
        half[0].all -= lost.halves.first;
        half[1].by_length[lost.length] -= lost.halves.second;
        half[1].all -= lost.halves.second;
        live.erase(gone);
      }
      for (std::size_t h = 0; h < 2; ++h) {
        if (half[h].all >= most[h]) {
          most[h] = half[h].all;
          at_peak[1 - h] = half[1 - h];
        }
        for (auto const& [length, samples] : half[h].by_length) {
          std::uint64_t& own = own_most[length][h];
          if (samples < own) continue;
          own = samples;
          own_at_peak[length][1 - h] = half[1 - h].by_length[length];
        }
      }
    }
    const usage u = b.finish();
    CHECK(u.most == peak.all);
    CHECK(u.total.at_peak.samples == at_peak[0].all + at_peak[1].all);
    CHECK(u.total.in_use.samples == now.all);
    for (std::size_t i = 0; i < u.rows.size(); ++i) {
      usage_row const& r = u.rows[i];
      auto& own = own_at_peak[r.length];
      CHECK(r.sums.in_use.samples == now.by_length[r.length]);
      CHECK(r.sums.at_peak.samples ==
            at_peak[0].by_length[r.length] + at_peak[1].by_length[r.length]);
      CHECK(u.lifetimes[i].most.samples == own[0] + own[1]);
      CHECK(r.sums.in_use.objects == Approx(static_cast<double>(r.sums.in_use.samples) /
                                            (0.5 * static_cast<double>(r.length + 1))));
    }
  }
}
