// SPDX-License-Identifier: MIT
#include "analysis/alloc_stats.hpp"

#include <cstdint>
#include <map>

#include "support/catch2.hpp"
#include "unit/offline/analysis/synthetic_events.hpp"

using namespace memprof::analysis;
using namespace memprof::test;
namespace trace = memprof::trace;

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
