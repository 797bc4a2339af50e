// SPDX-License-Identifier: MIT
#include <cstdint>
#include <new>

#include "engine/engine.hpp"
#include "support/catch2.hpp"

using namespace memprof;
using namespace memprof::engine;

// Objects that are never destroyed stand for those that a jump passes.

namespace {

// The address sanitizer would put the object on a stack of its own, elsewhere.
template <class Object, class... Arguments>
[[gnu::noinline, gnu::no_sanitize_address]] void leave_by_jump(Arguments... arguments) {
  alignas(Object) unsigned char place[sizeof(Object) + 256];  // further in than its caller's calls
  ::new (static_cast<void*>(place)) Object(arguments...);
  __asm__ volatile("" : : "r"(place) : "memory");
}

/// What an allocation asks before its event, from a function in or beside the one that was left.
[[gnu::noinline]] bool asks(std::int64_t words) {
  current.countdown -= words;
  return is_muted(__builtin_frame_address(0), words);
}

int handled = 0;

}  // namespace

TEST_CASE("left by jump: a thread whose muted section is gone is not muted by it") {
  ensure_started();
  const std::int64_t before = position_now();
  leave_by_jump<muted_section>();
  CHECK(current.muted == 1);
  CHECK_FALSE(asks(1000));
  CHECK(current.muted == 0);
  { const event settle{1000}; }  // that one is counted, as it would have been
  CHECK(position_now() == before + 1000);
}

TEST_CASE("left by jump: an event, with others inside it") {
  ensure_started();
  on_left_by_jump([] { ++handled; });
  const std::int64_t before = position_now();
  const std::uint64_t lost = static_cast<std::uint64_t>(read_residual(consumer::live).excess);
  current.countdown -= 10;
  leave_by_jump<event>(std::int64_t{10});
  leave_by_jump<muted_section>();
  CHECK(current.muted == 2);
  const int handled_before = handled;
  CHECK_FALSE(asks(0));
  CHECK(handled == handled_before + 1);
  CHECK(current.muted == 0);
  CHECK(position_now() == before + 10);
  CHECK(static_cast<std::uint64_t>(read_residual(consumer::live).excess) == lost);
}

TEST_CASE("left by jump: what is still there mutes") {
  ensure_started();
  const muted_section here;
  CHECK(asks(muted_countdown + 1));
  CHECK(current.countdown == muted_countdown);
  leave_by_jump<muted_section>();  // inside it
  CHECK(asks(1));
  CHECK(current.muted == 2);
  --current.muted;  // as if it had ended
}

TEST_CASE("left by jump: of another stack nothing is known") {
  ensure_started();
  const std::uint32_t depth = leave_stack();
  return_to_stack(depth);
  const muted_section here;
  current.muted_by = nullptr;  // further in than anything, and no part of this stack
  CHECK(asks(1));
  current.muted_by = unknown_place;
  CHECK(asks(1));
}
