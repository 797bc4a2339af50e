// SPDX-License-Identifier: MIT
#include "relay/ring.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "base/base.hpp"
#include "relay/record.hpp"
#include "support/catch2.hpp"

using namespace memprof;
using relay::ring;

namespace {

/// Zeroed pages, as in shared memory.
class ring_in_pages {
 public:
  ring_in_pages() : at_(static_cast<ring*>(base::map_pages(sizeof(ring)))) {}
  ~ring_in_pages() { base::unmap_pages(at_, sizeof(ring)); }
  ring_in_pages(ring_in_pages const&) = delete;
  ring_in_pages& operator=(ring_in_pages const&) = delete;
  ring* operator->() const { return at_; }

  /// A record of `words` words, of which all but the first are `value`.
  bool push(std::size_t words, std::uint64_t value) const {
    const std::array<std::uint64_t, 1> first{words};
    const std::vector<std::uint64_t> rest(words - 1, value);
    return at_->push(first, rest);
  }
  /// The next record's words behind the first; empty if there is none. Not inline, or g++ 12 takes
  /// at -O3 the vector's block for another one (-Wfree-nonheap-object).
  [[gnu::noinline]] std::vector<std::uint64_t> pop(bool producers_dead = false) {
    const auto record = at_->pop(into_, producers_dead);
    if (record.empty()) return {};
    return {record.begin() + 1, record.end()};
  }
  std::vector<std::uint64_t> pop_behind(std::uint64_t& from) {
    const auto record = at_->pop_behind_hole(into_, from);
    if (record.empty()) return {};
    return {record.begin() + 1, record.end()};
  }
  /// Claims `slots` slots as a producer does that is killed before it has written.
  void leave_hole(std::uint64_t slots) const {
    auto& tail = *reinterpret_cast<std::atomic<std::uint64_t>*>(at_);
    tail.fetch_add(slots);
  }

 private:
  ring* at_;
  std::array<std::uint64_t, ring::most_words> into_{};
};

}  // namespace

TEST_CASE("records of all sizes come out as they went in, over many laps") {
  ring_in_pages r;
  CHECK(r.pop().empty());
  std::uint64_t wrong = 0;
  std::uint64_t slots = 0;
  for (std::uint64_t i = 0; slots < 3 * ring::capacity; ++i) {
    const std::size_t words = 2 + i * 37 % (ring::most_words - 2);
    slots += words / ring::words_in_slot + 1;
    if (!r.push(words, i) || r.pop() != std::vector<std::uint64_t>(words - 1, i)) ++wrong;
  }
  CHECK(wrong == 0);
  CHECK(r->claimed() == r->popped());
  CHECK_FALSE(r->crowded());
  for (std::size_t taken = 0; taken < ring::capacity / 2; taken += 2) CHECK(r.push(8, taken));
  CHECK_FALSE(r->crowded());  // half of it, not more
  CHECK(r.push(8, 0));
  CHECK(r->crowded());
}

TEST_CASE("a full ring refuses, and has room again for what was popped") {
  ring_in_pages r;
  std::uint64_t pushed = 0;
  while (r.push(8, pushed)) ++pushed;
  CHECK(pushed == ring::capacity / 2);
  CHECK(r->crowded());
  CHECK(r.pop().front() == 0);
  CHECK(r.push(8, pushed));
  CHECK_FALSE(r.push(8, pushed));
  for (std::uint64_t i = 1; i <= pushed; ++i) CHECK(r.pop().front() == i);
  CHECK(r.pop().empty());
}

TEST_CASE("a hole holds up the consumer until its producer is known to be dead") {
  ring_in_pages r;
  const std::uint64_t slots = GENERATE(1u, 5u);
  // Of an earlier lap there is something in the slots.
  const bool later_lap = GENERATE(false, true);
  if (later_lap) {
    while (r.push(20, 7)) {
    }
    while (!r.pop().empty()) {
    }
  }
  r.push(3, 1);
  r.leave_hole(slots);
  r.push(3, 2);
  r.leave_hole(slots);
  CHECK(r.pop().front() == 1);
  CHECK(r.pop().empty());
  CHECK(r.pop(true).front() == 2);
  CHECK(r.pop(true).empty());
  CHECK(r->claimed() == r->popped());
}

TEST_CASE("what is behind a hole is popped once, before it") {
  ring_in_pages r;
  r.push(3, 1);
  r.leave_hole(2);
  for (std::uint64_t i = 2; i <= 4; ++i) r.push(3 + 7 * i, i);
  CHECK(r.pop().front() == 1);
  std::uint64_t from = r->popped();
  CHECK(r.pop_behind(from).front() == 2);
  CHECK(r.pop_behind(from).size() == 2 + 7 * 3);
  r.leave_hole(1);
  r.push(3, 5);
  from = r->popped();
  CHECK(r.pop_behind(from).front() == 4);
  CHECK(r.pop_behind(from).front() == 5);
  CHECK(r.pop_behind(from).empty());
  CHECK(r.pop().empty());  // the hole still holds it up
  CHECK(r->popped() == 1);
  r->skip_hole();
  r.push(3, 6);
  CHECK(r.pop().empty());  // up to the second hole
  r->skip_hole();
  CHECK(r.pop().front() == 6);
  CHECK(r.pop().empty());
  CHECK(r->claimed() == r->popped());
}

TEST_CASE("a hole that nothing is behind is not given up") {
  ring_in_pages r;
  r.leave_hole(3);
  r->skip_hole();
  CHECK(r->popped() == 0);
  std::uint64_t from = 0;
  CHECK(r.pop_behind(from).empty());
}

TEST_CASE("after a hole that was given up all goes on, for laps") {
  ring_in_pages r;
  r.leave_hole(7);
  std::uint64_t pushed = 0;
  std::uint64_t popped = 0;
  for (int lap = 0; lap < 3; ++lap) {
    while (r.push(20, pushed)) ++pushed;
    std::uint64_t from = r->popped();
    for (auto seen = r.pop_behind(from); !seen.empty(); seen = r.pop_behind(from)) {
      CHECK(seen.front() == popped++);
    }
    r->skip_hole();
    CHECK(r.pop().empty());
    CHECK(r->claimed() == r->popped());
    r.leave_hole(1 + static_cast<std::uint64_t>(lap));
  }
  CHECK(pushed == popped);
}

TEST_CASE("what another process has spoiled is neither read nor waited for") {
  ring_in_pages r;
  const std::array<std::uint64_t, 1> no_size{0};
  const std::array<std::uint64_t, 1> too_long{0xffff};
  r->push(no_size, {});
  r->push(too_long, {});
  r.push(3, 1);
  CHECK(r.pop().front() == 1);
  r.leave_hole(2 * std::uint64_t{ring::capacity});
  CHECK(r.pop(true).empty());
  const std::uint64_t near_the_end = r->claimed() - 4;
  std::uint64_t from = near_the_end;
  CHECK(r.pop_behind(from).empty());
  CHECK(from == near_the_end);
}

TEST_CASE("nothing is behind a place that is behind the end") {
  ring_in_pages r;
  r.push(8, 1);
  const std::uint64_t behind_the_end = r->claimed() + 1;
  std::uint64_t from = behind_the_end;
  CHECK(r.pop_behind(from).empty());
  CHECK(from == behind_the_end);
  CHECK(r.pop().front() == 1);
}

TEST_CASE("threads push, one pops: nothing is lost, each thread's records in their order") {
  constexpr std::uint64_t each = 100'000;
  constexpr std::uint64_t threads = 3;
  ring_in_pages r;
  std::vector<std::jthread> producers;
  for (std::uint64_t t = 0; t < threads; ++t) {
    producers.emplace_back([&r, t] {
      for (std::uint64_t i = 0; i < each;) {
        if (r.push(2 + i % 30, t << 32 | i)) {
          ++i;
        } else {
          std::this_thread::yield();
        }
      }
    });
  }
  std::array<std::uint64_t, threads> next{};
  std::uint64_t wrong = 0;
  for (std::uint64_t n = 0; n < threads * each;) {
    const auto record = r.pop();
    if (record.empty()) {
      std::this_thread::yield();
      continue;
    }
    ++n;
    const std::uint64_t t = record.front() >> 32;
    const std::uint64_t i = next.at(t)++;
    const bool right = record.size() == 1 + i % 30 && std::ranges::all_of(record, [&](auto word) {
                         return word == (t << 32 | i);
                       });
    if (!right) ++wrong;
  }
  CHECK(wrong == 0);
}
