// SPDX-License-Identifier: MIT
// One huge request is refused by the limit before it is granted (upstream's D-12, mended).
#include <sys/resource.h>

#include "memprof/memprof.hpp"

#include "check.hpp"

using namespace memprof::literals;

int main() {
  for (int round = 0; round < 100; ++round) {
    bool granted = false;
    const auto task = [&] {
      ::operator delete(::operator new (std::size_t{4} << 30));
      granted = true;
    };
    // 4 GiB hold 50 000 samples: that fewer than the 1300 of the limit come has no probability.
    const auto sampled = memprof::limit_allocations(100_MiB, task);
    CHECK(!sampled && !granted);
    const auto memory = memprof::limit_memory(100_MiB, task);
    CHECK(!memory && !granted);
    CHECK(memory.error().measured() >= 4_GiB);
    const auto exact =
        memprof::run_limited({.allocations = 100_MiB, .count = memprof::counting::exact}, task);
    CHECK(!exact && !granted);
    CHECK(exact.error().measured() == 4_GiB + 8_B);
  }
  // Limits also refuse what no allocator could serve, and it may be requested any
  // number of times without disturbing the counts.
  volatile std::size_t impossible = std::size_t{1} << 62;
  for (int round = 0; round < 1'000'000; ++round) {
    CHECK(::operator new(impossible, std::nothrow) == nullptr);
  }
  const auto ask = [&] { ::operator delete(::operator new(impossible)); };
  for (auto count : {memprof::counting::sampled, memprof::counting::exact}) {
    const auto r = memprof::run_limited({.allocations = 1_GiB, .count = count}, ask);
    CHECK(!r && r.error().kind() == memprof::limit_kind::allocations);
  }
  CHECK(!memprof::limit_memory(1_GiB, ask));
  const auto after = memprof::run_limited({.allocations = 1_MiB, .count = memprof::counting::exact},
                                          [] { ::operator delete(::operator new(1000)); });
  CHECK(after && after->allocated == 126_w);
  // It was never mapped.
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  CHECK(usage.ru_maxrss < 512 * 1024);
}
