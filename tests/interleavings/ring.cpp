// SPDX-License-Identifier: MIT
// relay/ring.hpp: what is pushed is popped once and whole, whatever else is pushed meanwhile; also
// from behind a record that is not complete.
#include "checked_atomic.hpp"
// Behind it:
#include "cases.hpp"
#include "relay/ring.hpp"

using namespace interleavings;
using memprof::relay::ring;

namespace {

ring shared;
std::vector<std::uint64_t> popped;
std::uint64_t pushed = 0;
std::array<std::uint64_t, ring::most_words> room;

/// At the end of a lap, of which `left` slots are not popped.
void begin(std::uint64_t left) {
  constexpr std::uint64_t capacity = ring::capacity;
  shared.tail_.store(2 * capacity - 1);
  shared.limit_.store(0);
  shared.head_.store(2 * capacity - 1 - left);
  for (std::uint64_t i = 0; i < 12; ++i) shared.at(capacity + i).stage.store(6);
  shared.at(2 * capacity - 1).stage.store(2);
  popped.clear();
  pushed = 0;
}

/// A record of so many words, which tell whose it is.
void push(std::uint64_t what, std::size_t words) {
  std::array<std::uint64_t, 16> record{};
  record[0] = what << 16 | words;
  for (std::size_t i = 1; i < words; ++i) record[i] = what * 100 + i;
  const std::span<std::uint64_t const> all(record.data(), words);
  if (shared.push(all.first(1), all.subspan(1))) ++pushed;
}

void take(std::span<std::uint64_t const> record) {
  if (record.empty()) return;
  const std::uint64_t what = record[0] >> 16;
  for (std::size_t i = 1; i < record.size(); ++i) {
    check(record[i] == what * 100 + i, "half a record was popped");
  }
  popped.push_back(what);
}
void pop() { take(shared.pop(room, false)); }

void pop_behind() {
  std::uint64_t from = shared.popped();
  take(shared.pop_behind_hole(room, from));
}

void end() {
  for (int i = 0; i < 6; ++i) pop();
  check(popped.size() == pushed, "a record was lost, or popped twice");
  std::sort(popped.begin(), popped.end());
  check(std::adjacent_find(popped.begin(), popped.end()) == popped.end(),
        "a record was popped twice");
  check(shared.claimed() == shared.popped(), "something is left");
}

}  // namespace

int main() {
  run_case(
      "ring: two producers", {}, [] { begin(0); }, {[] { push(11, 9); }, [] { push(21, 3); }}, end);
  run_case(
      "ring: a producer and the consumer", {.preemptions = 2, .buffered = 1}, [] { begin(0); },
      {[] { push(11, 9); }, [] { pop(), pop(); }}, end);
  run_case(
      "ring: two producers and the consumer", {.preemptions = 2}, [] { begin(0); },
      {[] { push(11, 9), push(12, 2); }, [] { push(21, 3); }, [] { pop(), pop(); }}, end);
  run_case(
      "ring: two producers, popped from behind the first", {.preemptions = 2}, [] { begin(0); },
      {[] { push(11, 9); }, [] { push(21, 3); }, [] { pop_behind(), pop(), pop_behind(); }}, end);
  run_case(
      "ring: room for one record, two producers", {}, [] { begin(ring::capacity - 1); },
      {[] { push(11, 3); }, [] { push(21, 3); }},
      [] { check(pushed == 1, "the last slot was not filled once"); });
}
