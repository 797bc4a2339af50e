// SPDX-License-Identifier: MIT
//
// Walks that go by the one before say what walks without a memo say, wherever stacks differ.
#include "callstack/walk_memo.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <sys/time.h>
#include <thread>
#include <vector>

#include "memprof/callstack.hpp"

#include "callstack/callstack.hpp"
#include "support/catch2.hpp"
#include "support/sanitized.hpp"
#include "unit/runtime/callstack/cases/cases.hpp"

using namespace memprof::callstack;

namespace {

struct stack {
  std::array<std::uintptr_t, largest_stack> frames;
  std::size_t count = 0;
  memprof::callstack_counters counted;
};

std::span<std::uintptr_t> all_of(void* s) noexcept { return static_cast<stack*>(s)->frames; }

/// The frames above `frame`, in a small room and, if need be, a large one.
[[gnu::noinline]] void take(stack& s, std::size_t most, void const* frame) {
  const auto before = memprof::counters_of_callstacks();
  std::array<std::uintptr_t, 16> near;
  const far_room far{.get = &all_of, .context = &s};
  const std::span<std::uintptr_t> taken = capture(near, most, frame, far);
  if (taken.data() == near.data()) std::ranges::copy(taken, s.frames.begin());
  s.count = taken.size();
  s.counted = memprof::counters_of_callstacks();
  s.counted.stacks -= before.stacks;
  s.counted.frames_by_frame_pointer -= before.frames_by_frame_pointer;
  s.counted.frames_by_tables -= before.frames_by_tables;
  s.counted.incomplete -= before.incomplete;
}

struct comparison {
  int walks = 0;
  int different = 0;
  std::size_t frames = 0;
  std::uint64_t state = 1;

  std::uint64_t random(std::uint64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
  }
};
thread_local comparison now;
thread_local stack with;
thread_local stack without;

/// One walk with the memo and one while the memo is in use.
[[gnu::noinline]] void compare() {
  const std::size_t most = now.random(4) == 0 ? 1 + now.random(60) : largest_stack;
  void const* const frame = __builtin_frame_address(0);
  take(with, most, frame);
  walk_memo* const memo = begin_walk_of_thread();
  if (memo == nullptr) {
    ++now.different;
    return;
  }
  take(without, most, frame);
  const auto kept = static_cast<std::size_t>(memo->end() - memo->begin());
  memo->end_walk(memo->room(), 0);
  if (kept > largest_stack) ++now.different;
  ++now.walks;
  now.frames += with.count;
  const auto same = [](auto member) { return with.counted.*member == without.counted.*member; };
  if (with.count == 0 || with.count != without.count ||
      !std::equal(with.frames.begin(), with.frames.begin() + with.count, without.frames.begin()) ||
      with.counted.stacks != 1 || !same(&memprof::callstack_counters::frames_by_frame_pointer) ||
      !same(&memprof::callstack_counters::frames_by_tables) ||
      !same(&memprof::callstack_counters::incomplete)) {
    ++now.different;
  }
}

void grow(int depth);

/// Frames of different sizes, some of the same: N % 3 and N % 4 decide what they look like.
template <int N>
[[gnu::noinline]] void branch(int depth) {
  volatile char some[16 + 48 * (N % 3)];
  some[0] = static_cast<char>(N);
  if constexpr (N % 4 == 0) {
    asm volatile("" : : "r"(__builtin_alloca(16 * (1 + now.random(3)))) : "memory");
  }
  if constexpr (N % 4 == 1) {  // another call of the same function, at the same stack pointer
    if (now.random(2) == 0) {
      grow(depth);
      some[0] = 0;
      return;
    }
  }
  grow(depth);
  some[0] = 0;
}

constexpr int walks_wanted = 20'000;

[[gnu::noinline]] void grow(int depth) {
  if (now.walks >= walks_wanted) return;
  static constexpr std::array branches{&branch<0>, &branch<1>, &branch<2>, &branch<3>,
                                       &branch<4>, &branch<5>, &branch<6>, &branch<7>};
  if (depth == 0 || now.random(8) == 0) {
    switch (now.random(8)) {
      case 0:
        memprof::test::cases_with_frame_pointers(compare);
        break;
      case 1:
        memprof::test::cases_without_frame_pointers(compare);
        break;
      case 2:
        memprof::test::chain_of_frame_pointers(static_cast<int>(now.random(30)), compare);
        break;
      default:
        compare();
    }
  }
  if (depth == 0) return;
  for (std::uint64_t i = 1 + now.random(2); i-- > 0;) {
    branches[now.random(branches.size())](depth - 1);
  }
}

/// On a thread that has a memo.
template <class F>
void on_thread(F f) {
  std::thread{[f] {
    begin_thread();
    f();
    end_thread();
  }}.join();
}

}  // namespace

TEST_CASE("walk_memo: the steps of a walk take turns with those of the one before") {
  auto const memo = std::make_unique<walk_memo>();
  auto const is_within = [&](walk_step const* list) {
    auto const* const bytes = reinterpret_cast<char const*>(list);
    auto const* const first = reinterpret_cast<char const*>(memo.get());
    return bytes >= first &&
           bytes + sizeof(walk_step) * (largest_stack + 1) <= first + sizeof *memo;
  };
  CHECK(memo->begin() == memo->end());
  walk_step const* lists[2] = {};
  for (std::size_t walk = 0; walk < 6; ++walk) {
    REQUIRE(memo->begin_walk());
    CHECK_FALSE(memo->begin_walk());  // in a signal handler, meanwhile
    walk_step* const room = memo->room();
    REQUIRE(is_within(room));
    REQUIRE(room != memo->begin());
    if (walk < 2) lists[walk] = room;
    CHECK(room == lists[walk % 2]);
    memo->end_walk(room, walk + 1);
    CHECK(memo->begin() == room);
    CHECK(memo->end() == room + walk + 1);
    CHECK(memo->end()->from.sp == no_step.from.sp);
    // What is added at the end of the last walk, and a walk that keeps nothing.
    REQUIRE(memo->begin_walk());
    memo->end_walk(memo->begin(), walk + 3);
    CHECK(memo->end() == room + walk + 3);
    REQUIRE(memo->begin_walk());
    memo->end_walk(memo->begin(), 1);
    CHECK(memo->end() == room + walk + 3);
    REQUIRE(memo->begin_walk());
    memo->end_walk(memo->room(), 0);
    CHECK(memo->begin() == room);
  }
  REQUIRE(memo->begin_walk());
  memo->forget();
  CHECK(memo->begin() == memo->end());
  CHECK(memo->begin_walk());
}

TEST_CASE("walk_memo: a list is cut where its room ends") {
  auto const memo = std::make_unique<walk_memo>();
  std::vector<walk_step> many(largest_stack + 1, no_step);
  for (walk_step& step : many) step.from.sp = 8;
  for (int list = 0; list < 2; ++list) {
    REQUIRE(memo->begin_walk());
    walk_step* const room = memo->room();
    walk_step* kept = memo->add(room, many.data(), many.data() + 3);
    CHECK(kept == room + 3);
    kept = memo->add(kept, many.data(), many.data() + many.size());
    CHECK(kept == room + largest_stack);
    CHECK(memo->add(kept, many.data(), many.data() + 1) == kept);
    memo->end_walk(room, largest_stack + 7);
    CHECK(memo->end() == room + largest_stack);
    CHECK(memo->end()[-1].from.sp == 8);
    CHECK(memo->end()->from.sp == no_step.from.sp);
  }
}

namespace {

/// Deeper than a walk goes, and deeper from walk to walk.
[[gnu::noinline]] void deepen(int depth) {
  if (depth % 450 == 0) compare();
  if (depth != 0) deepen(depth - 1);
  if (depth % 700 == 0) compare();
  asm volatile("" : : : "memory");  // a call at its end would be a jump
}

}  // namespace

TEST_CASE("walk_memo: stacks that grow deeper than a walk goes") {
  static comparison found;
  on_thread([] {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      now.state = seed;
      deepen(3 * static_cast<int>(largest_stack));
    }
    found = now;
  });
  CHECK(found.different == 0);
  CHECK(found.frames / static_cast<std::size_t>(found.walks) > 1000);
}

TEST_CASE("walk_memo: the frames and the counts of walks without one, on random stacks") {
  static comparison found;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    on_thread([seed] {
      now = {.state = seed};
      while (now.walks < walks_wanted) grow(static_cast<int>(4 + now.random(30)));
      found = now;
    });
    INFO("seed " << seed);
    CHECK(found.different == 0);
    CHECK(found.frames / static_cast<std::size_t>(found.walks) > 8);
  }
}

TEST_CASE("walk_memo: what is kept is the last walk, innermost first") {
  static std::vector<std::uintptr_t> kept;
  static std::vector<std::uintptr_t> taken;
  on_thread([] {
    for (int round = 0; round < 3; ++round) {
      take(with, largest_stack, __builtin_frame_address(0));
      walk_memo* const memo = begin_walk_of_thread();
      kept.clear();
      for (walk_step const* s = memo->begin(); s != memo->end(); ++s) kept.push_back(s->from.pc);
      taken.assign(with.frames.begin(), with.frames.begin() + with.count);
      memo->end_walk(memo->room(), 0);
    }
  });
  CHECK(taken.size() > 2);
  CHECK(kept == taken);
}

TEST_CASE("walk_memo: a word of the stack that changed ends what is followed") {
  static std::array<std::uintptr_t, 8> words;
  static std::array<walk_step, 4> steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto sp = reinterpret_cast<std::uintptr_t>(&words[2 * i]);
    steps[i] = {
        .from = {.pc = 100 + i, .sp = sp, .fp = 0}, .fp_at = sp, .fp_word = 7, .by_fp = i % 2};
    words[2 * i] = 7;
    if (i > 0) words[2 * i - 1] = 100 + i;
  }
  std::array<std::uintptr_t, 8> to{};
  const auto follow = [&](std::size_t room, std::size_t& by_fp) {
    to = {};
    std::uintptr_t* place = to.data();
    walk_step const* const until =
        follow_memo(steps.data(), steps.data() + 3, place, to.data() + room, by_fp);
    CHECK(place - to.data() == until - steps.data());
    return until - steps.data();
  };
  std::size_t by_fp = 0;
  CHECK(follow(8, by_fp) == 3);
  CHECK(by_fp == 1);
  CHECK(to[2] == 102);
  CHECK(follow(2, by_fp) == 2);
  words[3] = 0;  // the return address into frame 2
  CHECK(follow(8, by_fp) == 1);
  words[3] = 102;
  words[0] = 8;  // the frame pointer that frame 0 saved
  CHECK(follow(8, by_fp) == 0);
  words[0] = 7;
  steps[2].never_holds();
  steps[3].from.sp = 16;  // on a stack that is not there any more: not looked at
  CHECK(follow(8, by_fp) == 2);
}

namespace {

std::atomic<int> walks_in_handler{0};
std::atomic<int> different_in_handler{0};
stack in_handler;

void take_in_handler(int) {
  take(in_handler, largest_stack, __builtin_frame_address(0));
  ++walks_in_handler;
  // From the loop below to the start of its thread.
  if (in_handler.count < 3 || in_handler.counted.incomplete != 0) ++different_in_handler;
}

}  // namespace

TEST_CASE("walk_memo: walks in signal handlers that interrupt walks") {
  static comparison found;
  std::signal(SIGPROF, take_in_handler);
  itimerval every{{0, 200}, {0, 200}};
  on_thread([&every] {
    now = {.state = 11};
    for (int round = 0; round < 50'000'000 && walks_in_handler < 100; ++round) {
      // Not before all functions that the loop calls are bound: the loader's lazy binding ends
      // walks.
      if (round == 1000) setitimer(ITIMER_PROF, &every, nullptr);
      std::array<std::uintptr_t, 64> expected;
      std::array<std::uintptr_t, 64> again;
      void const* const frame = __builtin_frame_address(0);
      const std::size_t n = capture(expected, frame);
      const std::size_t m = capture(again, frame);
      now.frames += n;
      if (n != m || n < 3 || !std::equal(&expected[0], &expected[n], &again[0])) ++now.different;
    }
    every = {};
    setitimer(ITIMER_PROF, &every, nullptr);
    found = now;
  });
  std::signal(SIGPROF, SIG_DFL);
  CHECK(walks_in_handler >= 100);  // (at most one every 4 ms)
  CHECK(different_in_handler == 0);
  CHECK(found.different == 0);
}

#if !MEMPROF_SANITIZED
namespace {

long virtual_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmSize:")) return std::stol(line.substr(7));
  }
  return 0;
}

}  // namespace

TEST_CASE("walk_memo: given back when its thread ends") {
  const auto threads = [](int n) {
    for (int i = 0; i < n; ++i) on_thread([] { take(with, 8, __builtin_frame_address(0)); });
  };
  threads(10);
  const long before = virtual_kib();
  threads(500);
  // 400 KiB each would be 200 MB.
  CHECK(virtual_kib() - before < 20'000);
}
#endif
