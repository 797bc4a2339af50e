// SPDX-License-Identifier: MIT
//
// Stacks as they are captured, against those of the unwinder that the C++ runtime uses.
#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <memory>
#include <span>
#include <sys/wait.h>
#include <thread>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>
#include <vector>

#include "memprof/callstack.hpp"

#include "callstack/callstack.hpp"
#include "support/catch2.hpp"
#include "unit/runtime/callstack/cases/cases.hpp"

using namespace memprof::callstack;
using memprof::callstack_method;

namespace {

using stack = std::array<std::uintptr_t, largest_stack>;

/// The frames above the caller by libgcc. Interrupted code plus one, as `capture` gives it.
[[gnu::noinline]] std::size_t by_unwinder(stack& frames) {
  struct state {
    stack& frames;
    std::size_t count;
  } s{frames, 0};
  _Unwind_Backtrace(
      [](_Unwind_Context* context, void* to) {
        auto& into = *static_cast<state*>(to);
        int exact = 0;
        const std::uintptr_t pc = _Unwind_GetIPInfo(context, &exact);
        if (pc != 0 && into.count < into.frames.size()) {
          into.frames[into.count++] = pc + static_cast<std::uintptr_t>(exact != 0);
        }
        return _URC_NO_REASON;
      },
      &s);
  return s.count;
}

struct comparison {
  int walks = 0;
  std::size_t frames = 0;
  int different = 0;
};
comparison total;

/// Compares the frames above this function.
[[gnu::noinline]] void compare() {
  static thread_local stack expected;
  static thread_local stack found;
  const std::size_t all = by_unwinder(expected);
  const std::size_t count = capture(found, __builtin_frame_address(0));
  // The unwinder's begins in one of our frames.
  const auto* const begin = std::find(expected.data(), expected.data() + all, found[0]);
  const auto* const end = expected.data() + all;
  ++total.walks;
  total.frames += count;
  const bool same = count > 0 && begin != end &&
                    std::equal(begin, end, found.data(), found.data() + count) &&
                    begin - expected.data() <= 3;
  if (!same) ++total.different;
}

void expect_agreement(int walks, std::size_t frames_each) {
  CHECK(total.walks >= walks);
  CHECK(total.frames >= static_cast<std::size_t>(total.walks) * frames_each);
  CHECK(total.different == 0);
  total = {};
}

[[gnu::noinline]] int deep(int n, void (*at_the_end)()) {
  if (n == 0) {
    at_the_end();
    return 0;
  }
  int below = deep(n - 1, at_the_end);
  asm volatile("" : "+r"(below));  // else it becomes a loop
  return below + 1;
}

struct shape {
  virtual ~shape() = default;
  virtual int area(int n) = 0;
};
struct square : shape {
  [[gnu::noinline]] int area(int n) override {
    compare();
    return n * n;
  }
};

/// The method for the time of a test.
class with_method {
 public:
  explicit with_method(callstack_method m) { memprof::set_callstack_method(m); }
  ~with_method() { memprof::set_callstack_method(callstack_method::automatic); }
};

volatile std::sig_atomic_t handled = 0;
void compare_in_handler(int) {
  handled = handled + 1;
  compare();
}

void with_handler(int signal, int flags, void (*handler)(int), std::function<void()> const& f) {
  struct sigaction action = {};
  struct sigaction before = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(signal, &action, &before);
  handled = 0;
  f();
  sigaction(signal, &before, nullptr);
}

}  // namespace

TEST_CASE("capture: the unwinder's frames, in its order") {
  total = {};
  compare();
  CHECK(deep(500, compare) == 500);
  memprof::test::cases_with_frame_pointers(compare);
  memprof::test::cases_without_frame_pointers(compare);
  int numbers[200];
  for (int& n : numbers) n = std::rand();
  std::qsort(numbers, 200, sizeof(int), [](void const* a, void const* b) {
    compare();
    return *static_cast<int const*>(a) - *static_cast<int const*>(b);
  });
  std::vector<int> sorted(numbers, numbers + 200);
  std::sort(sorted.begin(), sorted.end(), [](int a, int b) {
    compare();
    return a < b;
  });
  std::unique_ptr<shape> const s = std::make_unique<square>();
  std::function<int(int)> const area = [&s](int n) { return s->area(n); };
  CHECK(area(3) == 9);
  expect_agreement(1000, 5);
}

TEST_CASE("capture: the tables alone say the same") {
  const with_method tables{callstack_method::unwind_tables};
  total = {};
  CHECK(deep(100, compare) == 100);
  memprof::test::cases_without_frame_pointers(compare);
  expect_agreement(5, 5);
}

TEST_CASE("capture: from a signal handler into the interrupted code") {
  total = {};
  with_handler(SIGUSR1, 0, compare_in_handler, [] {
    deep(20, [] { raise(SIGUSR1); });
    memprof::test::cases_without_frame_pointers([] { raise(SIGUSR1); });
  });
  CHECK(handled >= 2);
  expect_agreement(2, 8);
}

TEST_CASE("capture: from a handler on a stack of its own, and one within the other") {
  std::vector<char> memory(256 * 1024);
  stack_t alternate = {};
  alternate.ss_sp = memory.data();
  alternate.ss_size = memory.size();
  stack_t before = {};
  REQUIRE(sigaltstack(&alternate, &before) == 0);
  total = {};
  with_handler(SIGUSR1, SA_ONSTACK, compare_in_handler, [] {
    deep(20, [] { raise(SIGUSR1); });
    with_handler(
        SIGUSR2, 0, [](int) { deep(3, [] { raise(SIGUSR1); }); },
        [] { deep(10, [] { raise(SIGUSR2); }); });
  });
  expect_agreement(1, 8);
  sigaltstack(&before, nullptr);
}

TEST_CASE("capture: interrupted at any instruction") {
  // A timer interrupts sorting, allocation, calls through PLTs: wherever it is.
  total = {};
  std::signal(SIGPROF, compare_in_handler);
  itimerval every{{0, 500}, {0, 500}};
  setitimer(ITIMER_PROF, &every, nullptr);
  std::size_t sum = 0;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (total.walks < 300 && std::chrono::steady_clock::now() < until) {
    std::vector<int> numbers(100);
    for (int& n : numbers) n = std::rand();
    std::sort(numbers.begin(), numbers.end());
    std::unique_ptr<shape> const s = std::make_unique<square>();
    sum += numbers.size() + static_cast<std::size_t>(std::abs(numbers[0] % 2));
    memprof::test::cases_without_frame_pointers([] {});
  }
  every = {};
  setitimer(ITIMER_PROF, &every, nullptr);
  std::signal(SIGPROF, SIG_DFL);
  CHECK(sum > 0);
  expect_agreement(100, 5);
}

TEST_CASE("capture: a thread's stack ends with the thread") {
  const auto before = memprof::counters_of_callstacks();
  total = {};
  std::vector<std::thread> threads;
  for (int i = 0; i < 1; ++i) threads.emplace_back([] { deep(30, compare); });
  for (std::thread& t : threads) t.join();
  expect_agreement(1, 31);
  const auto after = memprof::counters_of_callstacks();
  CHECK(after.incomplete == before.incomplete);
  CHECK(after.stacks == before.stacks + 1);
  CHECK(after.frames_by_tables + after.frames_by_frame_pointer >=
        before.frames_by_tables + before.frames_by_frame_pointer + 31);
}

TEST_CASE("capture: as many frames as there is room for, the innermost") {
  static stack all;
  static std::size_t taken[3];
  static std::size_t innermost;
  deep(6000, [] {
    const auto* const here = __builtin_frame_address(0);
    taken[0] = capture({}, here);
    taken[1] = capture(std::span{all}.first(1), here);
    innermost = all[0];
    taken[2] = capture(all, here);
  });
  CHECK(taken[0] == 0);
  CHECK(taken[1] == 1);
  CHECK(taken[2] == largest_stack);
  CHECK(all[0] == innermost);
}

TEST_CASE("capture: a stack that does not end in the near room goes on in the far one") {
  struct far_memory {
    std::vector<std::uintptr_t> room;
    int asked = 0;
    std::size_t most = 0;
    stack all{};
    stack found{};
    std::size_t count = 0;
    std::size_t frames = 0;
  };
  static far_memory memory;
  constexpr std::size_t near_size = 16;
  for (const callstack_method method :
       {callstack_method::automatic, callstack_method::unwind_tables}) {
    const with_method in_force{method};
    for (const std::size_t room : {std::size_t{0}, near_size, std::size_t{40}, largest_stack}) {
      for (const std::size_t most :
           {std::size_t{5}, near_size, std::size_t{17}, std::size_t{1000}}) {
        memory.room.assign(room, 0);
        memory.most = most;
        memory.asked = 0;
        const auto before = memprof::counters_of_callstacks();
        deep(100, [] {
          const auto* const here = __builtin_frame_address(0);
          std::array<std::uintptr_t, near_size> near{};
          const far_room far{.get = [](void* context) noexcept -> std::span<std::uintptr_t> {
                               auto& m = *static_cast<far_memory*>(context);
                               ++m.asked;
                               return m.room;
                             },
                             .context = &memory};
          const std::span<std::uintptr_t> taken = capture(near, memory.most, here, far);
          memory.count = taken.size();
          std::ranges::copy(taken, memory.found.begin());
          memory.frames = capture(memory.all, here);
        });
        const auto after = memprof::counters_of_callstacks();
        CAPTURE(room, most);
        REQUIRE(memory.frames > 100);
        CHECK(memory.asked == (most > near_size ? 1 : 0));
        const std::size_t there = room > near_size ? room : near_size;
        CHECK(memory.count == std::min({most, there, memory.frames}));
        CHECK(
            std::equal(memory.found.data(), memory.found.data() + memory.count, memory.all.data()));
        CHECK(after.stacks == before.stacks + 2);
        CHECK(after.frames_by_frame_pointer + after.frames_by_tables -
                  before.frames_by_frame_pointer - before.frames_by_tables <=
              memory.count + memory.frames);
      }
    }
  }
}

TEST_CASE("capture: without a frame, the caller's own comes first") {
  stack frames;
  REQUIRE(!capture(frames, frames.size(), nullptr, {}).empty());
  procedure p;
  REQUIRE(find_procedure(frames[0] - 1, p));
  // Somewhere in this function.
  const auto here = frame_here().pc;
  CHECK(here >= p.begin);
  CHECK(here < p.end);
}

TEST_CASE("capture: in a forked child") {
  total = {};
  const pid_t child = fork();
  if (child == 0) {
    deep(10, compare);
    _exit(total.walks == 1 && total.different == 0 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
}

TEST_CASE("capture: by frame pointers alone, in code that has none") {
  const with_method fp{callstack_method::frame_pointers};
  static stack frames;
  static std::size_t count;
  // Nothing is right about these stacks but that they end.
  memprof::test::cases_without_frame_pointers([] { count = capture(frames, nullptr); });
  CHECK(count >= 1);
  for (const std::uintptr_t rbp :
       {std::uintptr_t{8}, ~std::uintptr_t{7}, std::uintptr_t{0x7fff'ffff'f000}}) {
    memprof::test::with_frame_pointer(rbp, [] { count = capture(frames, nullptr); });
    CHECK(count >= 1);
  }
  const auto here = reinterpret_cast<std::uintptr_t>(&count) & ~std::uintptr_t{7};
  memprof::test::with_frame_pointer(here, [] { count = capture(frames, nullptr); });
  CHECK(count >= 1);
}

TEST_CASE("capture: by frame pointers alone, in code that keeps them") {
  const with_method fp{callstack_method::frame_pointers};
  static stack frames;
  static std::size_t count;
  static std::size_t whole;
  memprof::test::chain_of_frame_pointers(20, [] {
    count = capture(frames, __builtin_frame_address(0));
    memprof::set_callstack_method(callstack_method::unwind_tables);
    static stack by_tables;
    whole = capture(by_tables, __builtin_frame_address(0));
    // The chain is of code that keeps them; what called it need not.
    count = std::min<std::size_t>(count, 20);
    CHECK(whole > 20);
    CHECK(std::equal(frames.data(), frames.data() + count, by_tables.data()));
  });
  CHECK(count == 20);
}
