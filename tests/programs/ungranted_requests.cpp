// SPDX-License-Identifier: MIT
// A request that nobody granted is counted nowhere, and one at a point that cannot be interrupted
// hits nothing: 2^46 bytes, which no allocator has, by every function; a new handler that finds
// memory; an upstream that throws.
#include <cstdlib>
#include <malloc.h>
#include <memory_resource>
#include <new>
#include <string>
#include <sys/resource.h>

#include "memprof/memprof.hpp"
#include "memprof/sources.hpp"

#include "check.hpp"

using namespace memprof::literals;

namespace {

volatile std::size_t huge = std::size_t{1} << 46;
// No allocator has such a place for any size: a small request comes to nothing, too.
volatile std::size_t nowhere = std::size_t{1} << 62;

memprof::limits exactly(memprof::bytes most) {
  return {.allocations = most, .count = memprof::counting::exact};
}

void ask_without_exceptions() {
  CHECK(::operator new(huge, std::nothrow) == nullptr);
  CHECK(std::malloc(huge) == nullptr);
  CHECK(std::calloc(2, huge / 2) == nullptr);
  CHECK(memalign(64, huge) == nullptr);
  CHECK(std::aligned_alloc(64, huge) == nullptr);
  void* p = nullptr;
  CHECK(posix_memalign(&p, 64, huge) != 0);
  void* const block = std::malloc(100);
  CHECK(std::realloc(block, huge) == nullptr);
  std::free(block);
}

void no_hit_and_no_trace() {
  for (const auto count : {memprof::counting::sampled, memprof::counting::exact}) {
    memprof::budget shared({.allocations = 64_MiB, .memory = 64_MiB, .count = count});
    const auto outer = memprof::run_limited(exactly(1_GiB), [&] {
      const auto r = shared.run([] {
        for (int i = 0; i < 500; ++i) ask_without_exceptions();
      });
      CHECK(r && r->allocated == 500 * 14_w);
    });
    CHECK(outer && outer->allocated <= 500 * 14_w + 100_w);
    CHECK(shared.allocated() == 500 * 14_w);
    CHECK(shared.live().value == 0_B);
  }
  CHECK(memprof::limit_memory(64_MiB, &ask_without_exceptions));
  memprof::set_global_memory_limit(64_MiB);
  CHECK(memprof::limit_global_memory(&ask_without_exceptions));
  memprof::set_global_memory_limit(std::nullopt);
}

// As std::get_temporary_buffer does for std::stable_sort.
void probing() {
  rlimit old{};
  getrlimit(RLIMIT_AS, &old);
  const rlimit less{.rlim_cur = std::size_t{8} << 30, .rlim_max = old.rlim_max};
  CHECK(setrlimit(RLIMIT_AS, &less) == 0);
  const auto r = memprof::limit_memory(10_GiB, [] {
    std::size_t n = std::size_t{1} << 40;
    void* p = nullptr;
    while ((p = ::operator new(n, std::nothrow)) == nullptr) n /= 2;
    ::operator delete(p);
    ::operator delete(::operator new(1 << 20));
  });
  CHECK(r);
  CHECK(setrlimit(RLIMIT_AS, &old) == 0);
}

void throwing_new() {
  const auto ask = [] { ::operator delete(::operator new(huge)); };
  for (const auto count : {memprof::counting::sampled, memprof::counting::exact}) {
    memprof::budget shared({.allocations = 64_MiB, .count = count});
    const auto r = shared.run(ask);
    CHECK(!r && r.error().deliveries() == 1 && r.error().overshoot() == 0_B);
    CHECK(r.error().refused_request() >= memprof::bytes{std::int64_t{1} << 46});
    CHECK(r.error().message() == "allocations limit of 64 MiB reached by a request for 64 TiB");
    CHECK(shared.allocated() == 0_B);
  }
  const auto memory = memprof::limit_memory(64_MiB, ask);
  CHECK(!memory);
  CHECK(memory.error().message() == "memory limit of 64 MiB reached by a request for 64 TiB");
  // The allocator says no, and no limit does.
  memprof::budget shared({.allocations = memprof::max_allocation_limit,
                          .memory = memprof::bytes{std::int64_t{1} << 50}});
  const auto r = shared.run([&] {
    for (int i = 0; i < 500; ++i) {
      bool thrown = false;
      try {
        ask();
      } catch (memprof::limit_exceeded const&) {
        CHECK(false);
      } catch (std::bad_alloc const&) {
        thrown = true;
      }
      CHECK(thrown);
    }
  });
  CHECK(r && r->allocated < 1_MiB);  // libstdc++'s exceptions, by malloc
  CHECK(shared.allocated() < 1_MiB);
}

// Nor do positions, samples and ages keep a trace of any number of them.
void a_million() {
  const auto before = memprof::counters();
  for (int i = 0; i < 1'000'000; ++i) CHECK(::operator new(huge, std::nothrow) == nullptr);
  const auto after = memprof::counters();
  CHECK(after.samples - before.samples < 1000);
  CHECK(after.sampled_blocks - before.sampled_blocks < 1000);
  const auto r =
      memprof::run_limited(exactly(1_MiB), [] { ::operator delete(::operator new(1000)); });
  CHECK(r && r->allocated == 126_w);
}

// What the fast path has counted before the allocator says no, and what was sampled.
void small_requests() {
  for (const double rate : {0.0, 1e-3, 1.0}) {
    memprof::set_process_sampling_rate(memprof::sampling_rate{rate});
    const auto r = memprof::run_limited(exactly(64_MiB), [] {
      for (int i = 0; i < 20'000; ++i) {
        CHECK(::operator new (1000, std::align_val_t{nowhere}, std::nothrow) == nullptr);
      }
    });
    CHECK(r && r->allocated == 0_B);
  }
}

int calls = 0;
void* reserve = nullptr;
void give_up_reserve() {
  ++calls;
  std::free(reserve);
  reserve = nullptr;
  std::set_new_handler(nullptr);
}

// Granted in the end: counted, once.
void new_handler() {
  rlimit old{};
  getrlimit(RLIMIT_AS, &old);
  for (const bool nothrow : {false, true}) {
    const std::size_t most = std::size_t{2} << 30;
    reserve = std::malloc(most / 2);
    CHECK(reserve != nullptr);
    const rlimit less{.rlim_cur = most + (std::size_t{64} << 20), .rlim_max = old.rlim_max};
    CHECK(setrlimit(RLIMIT_AS, &less) == 0);
    calls = 0;
    std::set_new_handler(&give_up_reserve);
    const std::size_t size = most * 3 / 4;
    const auto r = memprof::run_limited(exactly(10_GiB), [&] {
      void* const p = nothrow ? ::operator new(size, std::nothrow) : ::operator new(size);
      CHECK(p != nullptr);
      ::operator delete(p);
    });
    CHECK(calls == 1);
    CHECK(r && r->allocated == memprof::bytes{static_cast<std::int64_t>(size)} + 8_B);
    CHECK(setrlimit(RLIMIT_AS, &old) == 0);
  }
}

class broken : public std::pmr::memory_resource {
  void* do_allocate(std::size_t, std::size_t) override { throw 1; }
  void do_deallocate(void*, std::size_t, std::size_t) override {}
  [[nodiscard]] bool do_is_equal(memory_resource const& o) const noexcept override {
    return this == &o;
  }
};

void upstream_that_throws() {
  broken upstream;
  memprof::memory_resource counted(&upstream);
  for (const double rate : {0.0, 1e-3, 1.0}) {
    memprof::set_process_sampling_rate(memprof::sampling_rate{rate});
    memprof::budget shared({.allocations = 64_MiB, .memory = 64_MiB});
    const auto r = shared.run([&] {
      for (int i = 0; i < 2'000; ++i) {
        const memprof::bytes before = shared.allocated();
        bool thrown = false;
        try {
          static_cast<void>(counted.allocate(100'000));
        } catch (int) {
          thrown = true;
        }
        CHECK(thrown);
        CHECK(shared.allocated() - before < 10'000_B);
      }
    });
    CHECK(r);
    CHECK(r->allocated < 2'000'000_B);  // exceptions, by malloc
    CHECK(shared.allocated() < 2'000'000_B);
    CHECK(shared.live().value == 0_B);
  }
}

}  // namespace

int main() {
  no_hit_and_no_trace();
  probing();
  throwing_new();
  a_million();
  small_requests();
  new_handler();
  upstream_that_throws();
}
