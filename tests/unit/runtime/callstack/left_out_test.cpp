// SPDX-License-Identifier: MIT
#include "callstack/left_out.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "callstack/capture.hpp"
#include "support/catch2.hpp"

using namespace memprof::callstack;

namespace {

std::array<char, 256> code;

std::uintptr_t at(std::size_t offset) { return reinterpret_cast<std::uintptr_t>(&code[offset]); }

#define LEFT_OUT __attribute__((noinline, section("memprof_test_left_out")))
extern "C" char __start_memprof_test_left_out, __stop_memprof_test_left_out;

LEFT_OUT void within(int depth, void (*f)()) {
  depth > 0 ? within(depth - 1, f) : f();
  asm volatile("");  // no jump
}

/// The innermost frames of four that are left out and those around them: at most `most`, of which
/// `near` fit the first buffer.
struct captured {
  std::array<std::uintptr_t, 64> frames{};
  std::array<std::uintptr_t, largest_stack> far{};
  std::size_t count = 0;
  std::size_t near_size = 0;
  std::size_t most = 0;
};
captured now;

[[gnu::noinline]] void take() {
  const std::span<std::uintptr_t> taken =
      capture(std::span{now.frames}.first(now.near_size), now.most, __builtin_frame_address(0),
              {.get = [](void*) noexcept -> std::span<std::uintptr_t> { return now.far; }});
  now.count = taken.size();
  if (taken.data() != now.frames.data()) {
    std::ranges::copy(taken.first(std::min(taken.size(), now.frames.size())), now.frames.begin());
  }
}

[[gnu::noinline]] void take_into_one() {
  now.count = capture(now.frames, __builtin_frame_address(0));
  asm volatile("");
}

[[gnu::noinline]] std::vector<std::uintptr_t> frames_within(std::size_t near_size,
                                                            std::size_t most) {
  now.near_size = near_size;
  now.most = most;
  within(3, take);
  asm volatile("");
  return {now.frames.begin(), now.frames.begin() + static_cast<std::ptrdiff_t>(now.count)};
}

/// A stack that is longer than what can be captured.
[[gnu::noinline]] int deep(int n) {
  int below = n > 0 ? deep(n - 1) : 0;
  if (n == 0) within(3, take);
  asm volatile("" : "+r"(below));
  return below + 1;
}

std::vector<std::uintptr_t> without(std::vector<std::uintptr_t> stack) {
  const auto rest = without_caller_of_main(std::span{stack}.subspan(count_left_out(stack)));
  return {rest.begin(), rest.end()};
}

}  // namespace

// First: the next one fills the ranges that are kept.
TEST_CASE("stacks have as many frames as was asked for without those that are left out") {
  std::vector<std::uintptr_t> whole = frames_within(64, 64);
  REQUIRE(whole.size() > 8);
  REQUIRE(whole.size() < 60);
  const auto address = [](char& at) { return reinterpret_cast<std::uintptr_t>(&at); };
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(whole[i] > address(__start_memprof_test_left_out));
    CHECK(whole[i] <= address(__stop_memprof_test_left_out));
  }
  whole.erase(whole.begin(), whole.begin() + 4);
  leave_out(&__start_memprof_test_left_out, &__stop_memprof_test_left_out);
  for (std::size_t const near_size : {1u, 2u, 3u, 4u, 5u, 6u, 8u, 16u}) {
    for (std::size_t const most : {1u, 2u, 3u, 4u, 5u, 6u, 8u, 16u, 60u}) {
      CAPTURE(near_size, most);
      const auto frames = frames_within(near_size, most);
      REQUIRE(frames.size() == std::min(most, whole.size()));
      for (std::size_t i = 0; i < frames.size(); ++i) {
        // The second is another call of frames_within.
        if (i != 1) CHECK(frames[i] == whole[i]);
      }
    }
  }
  // In a single buffer they begin at its first place.
  within(3, take_into_one);
  REQUIRE(now.count == whole.size() - 1);  // without frames_within
  for (std::size_t i = 1; i < now.count; ++i) CHECK(now.frames[i] == whole[i + 1]);
  // All steps of a walk count here.
  now.near_size = 16;
  now.most = largest_stack;
  deep(static_cast<int>(largest_stack));
  CHECK(now.count == largest_stack - 4);
}

TEST_CASE("stacks lose the innermost frames that return into code that is left out") {
  const std::uintptr_t main = 0x1000;
  CHECK(without({at(11), main}) == std::vector{at(11), main});
  leave_out(&code[10], &code[20]);
  leave_out(&code[10], &code[20]);
  leave_out(&code[40], &code[50]);
  leave_out(&code[60], &code[60]);
  // A call is before the address that it returns to.
  CHECK(without({at(10), main}) == std::vector{at(10), main});
  CHECK(without({at(11), main}) == std::vector{main});
  CHECK(without({at(20), main}) == std::vector{main});
  CHECK(without({at(21), main}) == std::vector{at(21), main});
  CHECK(without({at(61), main}) == std::vector{at(61), main});
  // Several, of both ranges; but not those whose callee stays.
  CHECK(without({at(11), at(45), at(12), main}) == std::vector{main});
  CHECK(without({main, at(11), main}) == std::vector{main, at(11), main});
  CHECK(without({at(11), at(12)}).empty());
  CHECK(without({}).empty());
  // More ranges than are kept are ignored.
  for (std::size_t i = 0; i < 2 * most_left_out; ++i) leave_out(&code[100 + i], &code[101 + i]);
  CHECK(without({at(101), main}) == std::vector{main});
  CHECK(without({at(100 + 2 * most_left_out), main}).size() == 2);
  CHECK(without({at(45), main}) == std::vector{main});
}

TEST_CASE("stacks lose the caller of main, which is one of the outermost") {
  static std::array<char, 16> caller;
  const auto in_it = reinterpret_cast<std::uintptr_t>(&caller[5]);
  CHECK(without({7, in_it, 8}) == std::vector<std::uintptr_t>{7, in_it, 8});
  leave_out_caller_of_main(&caller.front(), &caller.back());
  CHECK(without({7, in_it, 8}) == std::vector<std::uintptr_t>{7, 8});
  CHECK(without({7, in_it, 8, 9, 10}) == std::vector<std::uintptr_t>{7, 8, 9, 10});
  CHECK(without({in_it}).empty());
  // Further inside it is somebody else, or a stack that was cut.
  CHECK(without({7, in_it, 8, 9, 10, 11}).size() == 6);
}
