// SPDX-License-Identifier: MIT
// What a tracker's functions may do (docs of memprof/sampling.hpp): give nothing, throw, stop the
// profile, end its handle, allocate and free.
#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "memprof/memprof.hpp"

#include "profile/recorder.hpp"
#include "support/allocate.hpp"
#include "support/catch2.hpp"

using namespace memprof;
using namespace memprof::test;

TEST_CASE("profile: a function that is not set, or gives nothing, ends it for the block",
          "[profile]") {
  const profile_alone scene;
  set_nursery(100_w);
  std::atomic<int> calls{0};
  const bool has_promote = GENERATE(true, false);
  tracker<int, int> t;
  t.alloc_minor = [](allocation const& a) {
    return a.size.count() == 10 ? std::optional{7} : std::nullopt;
  };
  if (has_promote) {
    t.promote = [&](int) {
      ++calls;
      return std::optional<int>{};
    };
  }
  t.dealloc_minor = [&](int value) { calls += 100 * value; };
  t.dealloc_major = [&](int) { calls += 10'000; };
  profile p = start(sampling_rate{1.0}, std::move(t));
  release(allocate(16), 16);      // nullopt
  release(allocate(5000), 5000);  // no alloc_major
  void* const promoted = allocate(80);
  churn(1_kw);
  release(promoted, 80);
  p.stop();
  CHECK(calls == (has_promote ? 1 : 0));
}

namespace {
struct counted_value {
  static inline std::atomic<int> alive{0};
  counted_value() { ++alive; }
  counted_value(counted_value&& other) noexcept : extra(std::move(other.extra)) { ++alive; }
  ~counted_value() { --alive; }
  std::unique_ptr<int> extra = std::make_unique<int>(5);
};
struct large_value : counted_value {
  char room[100] = {};
};
}  // namespace

TEMPLATE_TEST_CASE("profile: what is kept for blocks is destroyed, each exactly once", "[profile]",
                   counted_value, large_value) {
  const profile_alone scene;
  set_nursery(100_w);
  std::atomic<int> sum{0};
  void* left[10] = {};
  {
    tracker<TestType, large_value> t;
    t.alloc_minor = [](allocation const&) { return std::optional<TestType>{std::in_place}; };
    t.promote = [](TestType) { return std::optional<large_value>{std::in_place}; };
    t.dealloc_minor = [&](TestType value) { sum += *value.extra; };
    profile p = start(sampling_rate{1.0}, std::move(t), 0);
    for (int i = 0; i < 10; ++i) release(allocate(8), 8);
    CHECK(sum == 50);
    CHECK(counted_value::alive == 0);
    for (void*& block : left) block = allocate(8);
    CHECK(counted_value::alive >= 10);
    churn(1_kw, 80);
    p.stop();
    CHECK(counted_value::alive >= 10);
    release(left[0], 8);
    p.discard();
    CHECK(counted_value::alive == 0);
  }
  for (int i = 1; i < 10; ++i) release(left[i], 8);
  CHECK(counted_value::alive == 0);
}

TEST_CASE("profile: a function that throws loses its block, and the exception is kept",
          "[profile]") {
  const profile_alone scene;
  set_nursery(100_w);
  const int where = GENERATE(0, 1, 2, 3, 4);
  std::atomic<int> later{0};
  const auto throw_if = [](bool now, char const* what) {
    if (now) throw std::runtime_error(what);
  };
  profile p =
      start(sampling_rate{1.0}, tracker<int, int>{.alloc_minor =
                                                      [&](allocation const&) {
                                                        throw_if(where == 0, "alloc_minor");
                                                        return std::optional{1};
                                                      },
                                                  .alloc_major =
                                                      [&](allocation const&) {
                                                        throw_if(where == 1, "alloc_major");
                                                        return std::optional{1};
                                                      },
                                                  .promote =
                                                      [&](int) {
                                                        throw_if(where == 2, "promote");
                                                        return std::optional{2};
                                                      },
                                                  .dealloc_minor =
                                                      [&](int) {
                                                        throw_if(where == 3, "dealloc_minor");
                                                        later += 1;
                                                      },
                                                  .dealloc_major =
                                                      [&](int) {
                                                        throw_if(where == 4, "dealloc_major");
                                                        later += 100;
                                                      }});
  void* const minor = allocate(80);
  release(minor, 80);
  void* const promoted = allocate(80);
  void* const major = allocate(5000);  // and that promotes the one before
  release(promoted, 80);
  release(major, 5000);
  p.stop();
  constexpr int expected[] = {100, 101, 101, 200, 1};
  constexpr std::uint64_t failures[] = {2, 1, 1, 1, 2};
  constexpr char const* texts[] = {"alloc_minor", "alloc_major", "promote", "dealloc_minor",
                                   "dealloc_major"};
  CHECK(later == expected[where]);
  CHECK(p.failures() == failures[where]);
  REQUIRE(p.failure() != nullptr);
  try {
    std::rethrow_exception(p.failure());
  } catch (std::runtime_error const& e) {
    CHECK(e.what() == std::string(texts[where]));
  }
}

TEST_CASE("profile: stop inside a function", "[profile]") {
  const profile_alone scene;
  std::optional<profile> p;
  std::atomic<int> allocs{0};
  std::atomic<int> frees{0};
  p = start(sampling_rate{1.0}, tracker<int, int>{.alloc_minor =
                                                      [&](allocation const&) {
                                                        if (++allocs == 3) p->stop();
                                                        return std::optional{1};
                                                      },
                                                  .dealloc_minor = [&](int) { ++frees; }});
  for (int i = 0; i < 10; ++i) release(allocate(8), 8);
  CHECK(allocs == 3);
  CHECK(frees == 3);
  p->discard();
}

TEST_CASE("profile: stop, discard and start anew inside a function", "[profile]") {
  const profile_alone scene;
  static std::optional<profile> p;
  static std::optional<profile> old;
  static std::atomic<int> allocs[2];
  static std::atomic<int> frees[2];
  for (int i : {0, 1}) allocs[i] = frees[i] = 0;
  const auto make = [](int which, auto&& hook) {
    return tracker<int, int>{.alloc_minor =
                                 [which, hook](allocation const&) {
                                   ++allocs[which];
                                   hook();
                                   return std::optional{which};
                                 },
                             .dealloc_minor =
                                 [which](int value) {
                                   if (value == which) ++frees[which];
                                 }};
  };
  p = start(sampling_rate{1.0}, make(0, [make] {
              if (allocs[0] != 3) return;
              p->stop();
              p->discard();
              old = std::move(p);
              p = start(sampling_rate{1.0}, make(1, [] {}));
            }));
  void* const kept = allocate(8);
  void* blocks[6];
  for (void*& block : blocks) block = allocate(8);
  for (void* block : blocks) release(block, 8);
  release(kept, 8);
  p->stop();
  CHECK(allocs[0] == 3);
  CHECK(frees[0] == 0);  // all of its blocks were discarded
  CHECK(allocs[1] == 4);
  CHECK(frees[1] == 4);
  p.reset();
  old.reset();
}

TEST_CASE("profile: a handle may be destroyed inside its own function", "[profile]") {
  const profile_alone scene;
  static std::optional<profile> p;
  static std::atomic<int> calls;
  calls = 0;
  auto big = std::make_shared<int>(1);  // the tracker owns it, too
  p = start(sampling_rate{1.0}, tracker<int, int>{.alloc_minor =
                                                      [big](allocation const&) {
                                                        ++calls;
                                                        p.reset();
                                                        return std::optional{*big};
                                                      },
                                                  .dealloc_minor = [](int) { ++calls; }});
  for (int i = 0; i < 4; ++i) release(allocate(8), 8);
  CHECK(calls == 1);
  CHECK(big.use_count() == 1);
}

TEST_CASE("profile: what a function allocates is not sampled, what it frees is reported afterwards",
          "[profile]") {
  const profile_alone scene;
  std::atomic<int> allocs{0};
  std::atomic<int> frees{0};
  std::atomic<bool> inside{false};
  std::atomic<int> nested{0};
  void* kept = nullptr;
  const auto enter = [&] { nested += inside.exchange(true) ? 1 : 0; };
  profile p = start(sampling_rate{1.0}, tracker<int, int>{.alloc_minor =
                                                              [&](allocation const&) {
                                                                enter();
                                                                ++allocs;
                                                                release(allocate(8), 8);
                                                                if (kept != nullptr) {
                                                                  release(kept, 8);
                                                                  kept = nullptr;
                                                                }
                                                                inside = false;
                                                                return std::optional{1};
                                                              },
                                                          .dealloc_minor =
                                                              [&](int) {
                                                                enter();
                                                                ++frees;
                                                                release(allocate(8), 8);
                                                                inside = false;
                                                              }});
  void* const first = allocate(8);
  kept = first;
  void* const second = allocate(8);
  const int frees_then = frees;
  release(second, 8);
  p.stop();
  CHECK(allocs == 2);
  CHECK(frees_then == 1);
  CHECK(frees == 2);
  CHECK(nested == 0);
  CHECK(p.failures() == 0);
}

TEST_CASE("profile: what functions free is reported call after call, in its order", "[profile]") {
  const profile_alone scene;
  int allocs = 0;
  std::array<void*, 5> to_free{};
  std::vector<int> freed;
  freed.reserve(100);
  tracker<int, int> numbers;
  numbers.alloc_minor = [&](allocation const&) {
    for (void*& block : to_free) {
      if (block != nullptr) release(std::exchange(block, nullptr), 8);
    }
    return std::optional{allocs++};
  };
  numbers.dealloc_minor = [&](int number) { freed.push_back(number); };
  profile p = start(sampling_rate{1.0}, std::move(numbers));
  std::vector<int> expected;
  expected.reserve(100);
  for (const std::size_t n : {1U, 1U, 3U, 1U, 5U, 2U}) {
    std::array<void*, 5> blocks{};
    for (std::size_t i = 0; i < n; ++i) {
      expected.push_back(allocs);
      blocks[i] = allocate(8);
    }
    to_free = blocks;
    const int number = allocs;
    void* const other = allocate(8);  // its function frees them
    CHECK(freed == expected);
    release(other, 8);
    expected.push_back(number);
    CHECK(freed == expected);
  }
  p.stop();
  CHECK(p.failures() == 0);
}

TEST_CASE("profile: interrupts do not come inside a function", "[profile]") {
  const profile_alone scene;
  token stop;
  std::atomic<int> after{0};
  profile p = start(sampling_rate{1.0}, tracker<int, int>{.alloc_minor = [&](allocation const&) {
                      stop.set();
                      cancellation_point();
                      ++after;
                      return std::optional<int>{};
                    }});
  bool reached = false;
  const auto result = limit_with_token(stop, [&] {
    void* const block = allocate(8);
    release(block, 8);
    cancellation_point();
    reached = true;
  });
  p.stop();
  CHECK_FALSE(result);
  CHECK(after >= 1);
  CHECK(p.failures() == 0);
  CHECK_FALSE(reached);
}
