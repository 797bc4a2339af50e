// SPDX-License-Identifier: MIT
// tracer/event_queue.cpp: what is pushed is popped once, in the order of its thread.
#include "checked_atomic.hpp"
// Behind it:
#include "cases.hpp"
#include "page_arena.hpp"
#include "tracer/event_queue.cpp"

using namespace interleavings;
using memprof::tracer::event_queue;
using memprof::tracer::queued_event;

namespace {

event_queue queue;
std::vector<std::uint64_t> popped;
std::uint64_t pushed = 0;

/// At the end of the first lap.
///
/// full        but for `free` entries, as if the consumer were a lap behind.
void begin(bool full, std::uint64_t free) {
  constexpr std::uint64_t capacity = event_queue::capacity;
  static event_queue::ring ring;
  ring.tail.store(capacity - 1);
  ring.head.store(full ? free - 1 : capacity - 1);
  for (std::uint64_t i = 0; i < 6; ++i) {
    // Of lap 0: full, or popped and so empty for lap 1.
    ring.entries[i].stage.store(full && i >= free - 1 ? 1 : 2);
    ring.entries[i].event.time = 0;
  }
  ring.entries[capacity - 1].stage.store(0);
  queue.ring_.store(&ring);
  popped.clear();
  pushed = 0;
}

void push(std::uint64_t what) {
  const queued_event event{.time = what, .length = what * 3};
  if (queue.push(event)) ++pushed;
}

void pop() {
  queued_event event;
  if (!queue.pop(event)) return;
  check(event.length == event.time * 3, "half an event was popped");
  popped.push_back(event.time);
}

/// An event is 10 * thread + its number.
void end() {
  for (int i = 0; i < 6; ++i) pop();
  check(popped.size() == pushed, "an event was lost, or popped twice");
  std::uint64_t last[4] = {};
  for (const std::uint64_t e : popped) {
    check(e > last[e / 10], "the events of a thread came out of order");
    last[e / 10] = e;
  }
}

}  // namespace

int main() {
  run_case(
      "event_queue: two producers", {}, [] { begin(false, 0); },
      {[] { push(11), push(12); }, [] { push(21); }}, end);
  run_case(
      "event_queue: a producer and the consumer", {.preemptions = 3, .buffered = 1},
      [] { begin(false, 0); }, {[] { push(11), push(12); }, [] { pop(), pop(); }}, end);
  run_case(
      "event_queue: somebody looks between a mark and what follows it",
      {.preemptions = 3, .between = true}, [] { begin(false, 0); },
      {[] { push(11), push(12); }, [] { pop(), pop(); }}, end);
  run_case(
      "event_queue: two producers and the consumer", {.preemptions = 2}, [] { begin(false, 0); },
      {[] { push(11), push(12); }, [] { push(21), push(22); }, [] { pop(), pop(), pop(); }}, end);
  run_case(
      "event_queue: room for one, two producers", {}, [] { begin(true, 1); },
      {[] { push(11); }, [] { push(21); }},
      [] { check(pushed == 1, "the last entry was not filled once"); });
}
