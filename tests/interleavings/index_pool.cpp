// SPDX-License-Identifier: MIT
// base/index_pool.hpp: no record is handed out twice, none is lost, and no pages go back that
// somebody uses.
#include "checked_atomic.hpp"
// Behind it:
#include "base/index_pool.hpp"
#include "base/thread_counters.hpp"
#include "cases.hpp"
#include "page_arena.hpp"

using namespace interleavings;
namespace base = memprof::base;

namespace {

struct record {
  int owner;
  char rest[2044];  // two to a page
};

template <base::pool_memory memory>
struct pool_case {
  using pool = base::index_pool<record, 1, memory>;

  alignas(pool) static inline unsigned char bytes[sizeof(pool)];
  static inline pool* p = nullptr;
  static inline std::uint32_t at_first[24] = {};

  /// `before` records were handed out, all but the first `kept` are free again.
  static void begin(int before, int kept) {
    reset_pages();
    std::memset(bytes, 0, sizeof bytes);
    p = new (bytes) pool;
    for (int i = 0; i < before; ++i) at_first[i] = p->acquire();
    for (int i = kept; i < before; ++i) p->release(at_first[i]);
  }

  /// Uses a record for itself alone.
  static void use(int owner) {
    const std::uint32_t index = p->acquire();
    check(index != 0, "no record");
    record& r = (*p)[index];
    check(r.owner == 0, "a record has two owners");
    r.owner = owner;
    before_operation("(uses it)", &r);
    check(r.owner == owner, "a record was written to, or its pages went back, while it was used");
    r.owner = 0;
    p->release(index);
  }
  /// Two at a time, of which the first is free while the second is still used.
  static void use_two(int owner) {
    const std::uint32_t first = p->acquire();
    const std::uint32_t second = p->acquire();
    check(first != 0 && second != 0, "no record");
    record& r = (*p)[second];
    check(r.owner == 0, "a record has two owners");
    r.owner = owner;
    p->release(first);
    before_operation("(uses it)", &r);
    check(r.owner == owner, "a record was written to while it was used");
    r.owner = 0;
    p->release(second);
  }
  static void give_back(int i) { p->release(at_first[i]); }

  static void end(std::uint32_t most) {
    check(p->highest() <= most, "a record was lost");
    std::uint32_t seen[24] = {};
    for (std::uint32_t i = 0; i < 6; ++i) {
      seen[i] = p->acquire();
      for (std::uint32_t k = 0; k < i; ++k) check(seen[k] != seen[i], "a record is free twice");
    }
  }
};

}  // namespace

int main() {
  using kept = pool_case<base::pool_memory::kept>;
  using returned = pool_case<base::pool_memory::returned>;
  run_case(
      "index_pool: two threads, new", {.preemptions = 4}, [] { kept::begin(0, 0); },
      {[] { kept::use(1); }, [] { kept::use(2); }}, [] { kept::end(2); });
  run_case(
      "index_pool: three threads, recycled", {.preemptions = 2}, [] { kept::begin(3, 1); },
      {[] { kept::use(1); }, [] { kept::use(2); }, [] { kept::give_back(0); }},
      [] { kept::end(4); });
  // What a tag is for: the head is the same again, and what was behind it is in use.
  run_case(
      "index_pool: one thread has two records", {.preemptions = 3}, [] { kept::begin(3, 0); },
      {[] { kept::use(1), kept::use(1); }, [] { kept::use_two(2); }}, [] { kept::end(4); });
  // Nine chunks have been empty: the next one that is emptied sends the oldest away.
  run_case(
      "index_pool: pages go back, two threads", {.preemptions = 3}, [] { returned::begin(20, 2); },
      {[] { returned::give_back(0), returned::give_back(1); }, [] { returned::use(2); }},
      [] { returned::end(22); });
  run_case(
      "index_pool: pages go back, three threads", {.preemptions = 2},
      [] { returned::begin(20, 2); },
      {[] { returned::give_back(0), returned::give_back(1); }, [] { returned::use(2); },
       [] { returned::use(3), returned::use(3); }},
      [] { returned::end(24); });

  struct sums {
    std::atomic<std::int64_t> n{0};
  };
  static base::thread_counters<sums>* counters = nullptr;
  alignas(base::thread_counters<sums>) static unsigned char bytes[sizeof(*counters)];
  const auto add = [] {
    auto* own = counters->open();
    base::add_locked{}(own->n, 1);
    counters->close(own);
  };
  const auto total = [] {
    std::int64_t n = 0;
    counters->each([&n](sums& s) { n += s.n.load(std::memory_order_relaxed); });
    return n;
  };
  run_case(
      "thread_counters: threads that come and go, and a reader", {.preemptions = 2},
      [] {
        reset_pages();
        std::memset(bytes, 0, sizeof bytes);
        counters = new (bytes) base::thread_counters<sums>;
      },
      {add, [&] { add(), add(); }, [&] { check(total() <= 3, "more than was added"); }},
      [&] { check(total() == 3, "something that was added is lost"); });
}
