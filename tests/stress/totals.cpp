// SPDX-License-Identifier: MIT
#include "totals.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>

#include "memprof/memprof.hpp"

#include "blocks.hpp"
#include "model.hpp"
#include "objects.hpp"
#include "support/allocate.hpp"

namespace stress {

void check_at_rest() {
  if (memprof::is_masked()) fail("masked at the end");
  if (memprof::is_interrupted()) fail("an interrupt is pending at the end");
  if (std::uncaught_exceptions() != 0) fail("an exception is on its way at the end");
  auto const r = memprof::limit_allocations(
      memprof::bytes{1 << 20}, [] { memprof::test::release(memprof::test::allocate(1000), 1000); });
  if (!r || r->allocated != memprof::bytes{126 * 8}) fail("a limit at the end counts wrongly");
}

void check_sums() {
  for (std::size_t i = 0; i < budgets; ++i) {
    auto& of = shared.budget[i];
    const std::int64_t words = made->budget[i]->allocated().count() / 8;
    if (words < of.words.low || words > of.words.high) {
      fail("budget %zu: %lld words were allocated, it says %lld", i,
           static_cast<long long>(of.words.low), static_cast<long long>(words));
    }
    // Without a limit on memory a budget has no account.
    const bool exact = shared.rate == 1.0 && !of.inexact && of.limits.memory > 0;
    const std::int64_t live = made->budget[i]->live().value.count() / 8;
    if (exact && live != of.live.low) {
      fail("budget %zu: %lld words are live, it says %lld", i, static_cast<long long>(of.live.low),
           static_cast<long long>(live));
    }
  }
  const std::int64_t live_before = memprof::live_memory().value.count() / 8;
  const std::uint64_t blocks_before = memprof::counters().tracked_blocks;
  const freed all = free_all();
  const std::int64_t fallen = live_before - memprof::live_memory().value.count() / 8;
  const std::uint64_t blocks = blocks_before - memprof::counters().tracked_blocks;
  if (shared.rate == 1.0 && (fallen != all.words || blocks != all.blocks)) {
    fail("%lld words in %llu blocks were freed, live memory fell by %lld in %llu",
         static_cast<long long>(all.words), static_cast<unsigned long long>(all.blocks),
         static_cast<long long>(fallen), static_cast<unsigned long long>(blocks));
  }
  for (std::size_t i = 0; i < budgets; ++i) {
    const std::int64_t live = made->budget[i]->live().value.count();
    if (live != 0 && !shared.budget[i].inexact) {
      fail("budget %zu: all is freed, it says that %lld bytes live", i,
           static_cast<long long>(live));
    }
  }
  if (memprof::counters().dropped_blocks != 0) fail("blocks were dropped");
}

}  // namespace stress
