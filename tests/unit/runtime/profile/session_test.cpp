// SPDX-License-Identifier: MIT
#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "memprof/sampling.hpp"

#include "engine/engine.hpp"
#include "profile/profile.hpp"
#include "support/catch2.hpp"

using namespace memprof;
using namespace memprof::profiling;

namespace {

struct counted {
  int* gone;
  explicit counted(int& g) noexcept : gone(&g) {}
  counted(counted&& other) noexcept : gone(std::exchange(other.gone, nullptr)) {}
  ~counted() {
    if (gone != nullptr) ++*gone;
  }
};

using functions_of_test = detail::typed_functions<counted, counted>;

session& open_with(int& destroyed) {
  session* s = open_session();
  REQUIRE(s != nullptr);
  tracker<counted, counted> t;
  t.dealloc_minor = [guard = std::make_shared<counted>(destroyed)](counted) {};
  s->functions = new functions_of_test(std::move(t));
  return *s;
}

/// An idle entry of `s`.
std::uint32_t idle_entry(session& s, int& gone) {
  REQUIRE(enter(s.index, s.number));
  const std::uint32_t index = open_entry(s);
  REQUIRE(index != 0);
  entry_at(index).major = false;
  detail::kept<counted>::put(entry_at(index).data, counted(gone));
  CHECK(make_idle(entry_at(index), index));
  leave(s);
  return index;
}

}  // namespace

TEST_CASE("session: the last one out of a closed session ends it") {
  int destroyed = 0;
  session& s = open_with(destroyed);
  const std::uint32_t number = s.number;
  REQUIRE(enter(s.index, number));
  REQUIRE(close(s));
  CHECK_FALSE(close(s));
  CHECK_FALSE(enter(s.index, number));
  leave(s);  // the closer's
  CHECK(destroyed == 0);
  leave(s);
  CHECK(destroyed == 1);
  wait_until_over(s);
  const std::uint32_t index = s.index;
  release(s);
  // Whoever gets the record next is not mistaken for it.
  session& next = open_with(destroyed);
  CHECK(next.index == index);
  CHECK_FALSE(enter(index, number));
  REQUIRE(close(next));
  leave(next);
  release(next);
  CHECK(destroyed == 2);
}

TEST_CASE("session: closed while threads come and go, it ends once, when the last has left") {
  engine::ensure_started();
  for (int round = 0; round < 300; ++round) {
    int destroyed = 0;
    session& s = open_with(destroyed);
    std::atomic<int> inside{0};
    std::atomic<int> entered{0};
    std::atomic<bool> outlived{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&, number = s.number] {
        engine::ensure_started();
        for (; enter_here(s, number); leave_here(s)) {
          ++inside;
          ++entered;
          // Of another thread's destruction nothing may be seen here: tsan would.
          if (s.functions == nullptr) outlived = true;
          --inside;
        }
      });
    }
    while (entered < 1 + round % 50) std::this_thread::yield();
    REQUIRE(close(s));
    leave(s);
    wait_until_over(s);
    CHECK(destroyed == 1);
    for (std::thread& t : threads) t.join();
    CHECK(inside == 0);
    CHECK_FALSE(outlived);
    CHECK(destroyed == 1);
    release(s);
  }
}

TEST_CASE("entries: dropped once, whoever comes first") {
  int destroyed = 0;
  int gone = 0;
  session& s = open_with(destroyed);
  session& other = open_with(destroyed);
  const std::uint32_t idle = idle_entry(s, gone);
  const std::uint32_t busy = idle_entry(s, gone);
  const std::uint32_t abandoned = idle_entry(s, gone);
  const std::uint32_t foreign = idle_entry(other, gone);
  REQUIRE(enter(s.index, s.number));
  REQUIRE(make_busy(entry_at(busy)));
  CHECK_FALSE(make_busy(entry_at(busy)));
  REQUIRE(close(s));
  abandon(abandoned);  // its block is freed before discard comes to it
  drop_entries(s);
  CHECK(gone == 2);
  CHECK_FALSE(make_idle(entry_at(busy), busy));  // seen to by who was busy
  CHECK(gone == 3);
  abandon(busy);
  CHECK_FALSE(make_busy(entry_at(idle)));
  abandon(idle);
  leave(s);
  leave(s);
  CHECK(destroyed == 1);
  release(s);
  CHECK(make_busy(entry_at(foreign)));
  REQUIRE(close(other));
  CHECK_FALSE(make_idle(entry_at(foreign), foreign));
  abandon(foreign);
  leave(other);
  release(other);
  CHECK(gone == 4);
  CHECK(destroyed == 2);
}
