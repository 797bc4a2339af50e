// SPDX-License-Identifier: MIT
// A recorded process by hand: one of its threads is interrupted in the middle of a push, and never
// comes back to it (a signal handler jumps). Prints how many samples it pushed; status 1: it did
// not find room for ten seconds.
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <unistd.h>

#include "relay/relay.hpp"

namespace {

using namespace memprof::relay;

std::uint64_t now() {
  timespec t{};
  clock_gettime(CLOCK_REALTIME, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000 +
         static_cast<std::uint64_t>(t.tv_nsec) / 1000;
}

bool push(channel& to, std::span<std::uint64_t const> words) {
  for (int i = 0; i < 10'000; ++i) {
    if (to.events.push(words, {})) return true;
    usleep(1000);
  }
  return false;
}

}  // namespace

int main() {
  const mapped_area area = attach();
  channel* const c = area ? take_channel(area) : nullptr;
  if (c == nullptr) return 2;
  const auto begin =
      record({.kind = record_kind::begin, .of = 0, .time = now()},
             std::array<std::uint64_t, begin_words>{std::bit_cast<std::uint64_t>(1.0), 1}, 0);
  if (!push(*c, begin)) return 1;
  int pushed = 0;
  // Far more than the ring holds, by way of one tag; the last block stays.
  for (; pushed < 200'000; ++pushed) {
    if (pushed == 1000 || pushed == 100'000) {
      // As a producer that has claimed three slots: the ring's tail is its first word.
      reinterpret_cast<std::atomic<std::uint64_t>*>(&c->events)->fetch_add(3);
    }
    const auto allocation = record({.kind = record_kind::allocation, .of = 1, .time = now()},
                                   std::array<std::uint64_t, allocation_words>{5, 1, 1}, 0);
    const auto collection =
        record<0>({.kind = record_kind::collection, .of = 1, .time = now()}, {}, 0);
    if (!push(*c, allocation) || (pushed < 199'999 && !push(*c, collection))) return 1;
  }
  std::printf("%d\n", pushed);
  return 0;
}
