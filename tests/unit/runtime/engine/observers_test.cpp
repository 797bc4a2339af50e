// SPDX-License-Identifier: MIT
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "engine/engine.hpp"
#include "support/catch2.hpp"

using namespace memprof::engine;

namespace {

// What the functions of both places have seen. A tag is 1 + the position in the log of its place.
enum class step : std::uint8_t { none, allocated, promoted, freed_minor, freed_major };

constexpr std::size_t log_length = 1 << 20;

struct place_log {
  std::atomic<std::uint32_t> blocks{0};
  std::atomic<std::uint64_t> samples{0};
  std::atomic<std::uint64_t> promoted{0};
  std::atomic<std::uint64_t> freed{0};
  std::atomic<std::uint64_t> out_of_order{0};
  std::atomic<std::uint32_t> generation{0};
  std::atomic<void const*> frame{nullptr};
  std::atomic<source> from{source::malloc};
  std::atomic<bool> keeps{true};  ///< what `promoted` returns
  void (*in_allocated)() noexcept = nullptr;
  void (*in_promoted)() noexcept = nullptr;
  std::vector<std::atomic<step>> steps = std::vector<std::atomic<step>>(log_length);

  void clear() {
    blocks = 0;
    samples = promoted = freed = out_of_order = 0;
    keeps = true;
    in_allocated = in_promoted = nullptr;
    for (auto& s : steps) s = step::none;
  }
};

place_log traced;
place_log profiled;

template <place_log& l>
observer_tag on_allocated(observed_block const& b) noexcept {
  l.samples += b.n_samples;
  l.generation = b.generation;
  l.frame = b.block.frame;
  l.from = b.block.from;
  const std::uint32_t at = l.blocks++;
  l.steps[at] = step::allocated;
  if (l.in_allocated != nullptr) l.in_allocated();
  return at + 1;
}

template <place_log& l>
bool on_promoted(observer_tag tag) noexcept {
  if (l.steps[tag - 1].exchange(step::promoted) != step::allocated) ++l.out_of_order;
  ++l.promoted;
  if (l.in_promoted != nullptr) l.in_promoted();
  return l.keeps;
}

template <place_log& l>
void on_freed(observer_tag tag, bool major) noexcept {
  const step before = l.steps[tag - 1].exchange(major ? step::freed_major : step::freed_minor);
  if (before != step::allocated && before != step::promoted) ++l.out_of_order;
  if (!major && before == step::promoted) ++l.out_of_order;
  ++l.freed;
}

std::atomic<std::uint64_t> interrupts{0};
void on_interrupted(raised_interrupt const& what) noexcept { interrupts += what.deferrals; }

/// Both places clean; rates off and the process's as given while it lives.
struct observing {
  explicit observing(double process_rate) {
    static bool const installed = [] {
      install_observer(observer_slot::trace, {&on_allocated<traced>, &on_promoted<traced>,
                                              &on_freed<traced>, &on_interrupted});
      install_observer(observer_slot::profile,
                       {&on_allocated<profiled>, &on_promoted<profiled>, &on_freed<profiled>});
      return true;
    }();
    static_cast<void>(installed);
    ensure_started();
    traced.clear();
    profiled.clear();
    configure_process_rate(process_rate);
    rearm();
  }
  ~observing() {
    set_observer_rate(observer_slot::trace, 0.0);
    set_observer_rate(observer_slot::profile, 0.0);
    nursery_words = 256'000;
    configure_process_rate(1e-4);
    rearm();
  }
};

/// Allocates one block of `words` words; its record's index if it was sampled.
std::uint32_t allocate(std::int64_t words) {
  current.countdown -= words;
  if (current.countdown >= 0) return 0;
  const event e{words};
  if (e.n_samples() == 0) return 0;
  return track({.address = nullptr,
                .raw = nullptr,
                .slot = 0,
                .from = source::external,
                .size = static_cast<std::size_t>(words - 1) * 8,
                .counted_words = words,
                .n_samples = e.n_samples(),
                .frame = __builtin_frame_address(0)});
}

void untrack_if(std::uint32_t index) {
  if (index != 0) untrack(index, nullptr);
}

}  // namespace

TEST_CASE("observers: each is notified at its own rate, whatever the process and the other want") {
  const double process_rate = GENERATE(0.0, 1e-4, 0.2);
  const double trace_rate = GENERATE(0.0, 0.02, 0.3);
  const double profile_rate = GENERATE(0.05, 0.3);
  const observing places{process_rate};
  restart_random(7);
  set_observer_rate(observer_slot::trace, trace_rate);
  set_observer_rate(observer_slot::profile, profile_rate);
  const std::int64_t start = position_now();
  constexpr int blocks = 100'000;
  for (int i = 0; i < blocks; ++i) untrack_if(allocate(1 + i % 10));
  const auto words = static_cast<double>(position_now() - start);
  const auto close_to = [&](place_log& l, double rate) {
    // 6.5 standard deviations: 1e-10 each.
    const double deviation = std::sqrt(words * rate * (1 - rate));
    CHECK(std::abs(static_cast<double>(l.samples) - words * rate) <= 6.5 * deviation);
    CHECK(l.freed == l.blocks);
  };
  close_to(traced, trace_rate);
  close_to(profiled, profile_rate);
  CHECK(profiled.out_of_order == 0);
  CHECK(profiled.from == source::external);
  CHECK(profiled.frame != nullptr);
}

TEST_CASE("observers: at rate 1 every word is reported, and nothing after the rate is 0") {
  const observing places{0.0};
  set_observer_rate(observer_slot::profile, 1.0);
  CHECK(current.law.per_word() == 1.0);
  const std::uint32_t kept = allocate(10);
  REQUIRE(kept != 0);
  CHECK(profiled.samples == 10);
  CHECK(traced.blocks == 0);
  set_observer_rate(observer_slot::profile, 0.0);
  CHECK(current.law.per_word() == 0.0);
  CHECK(allocate(10) == 0);
  CHECK(profiled.blocks == 1);
  CHECK(profiled.freed == 0);
  untrack(kept, nullptr);  // still reported
  CHECK(profiled.freed == 1);
}

TEST_CASE("observers: of interrupts those are notified that have a rate and a function for it") {
  const observing places{0.0};
  interrupts = 0;
  notify_interrupted({.deferrals = 1});
  CHECK(interrupts == 0);
  set_observer_rate(observer_slot::profile, 1.0);  // it has no function
  notify_interrupted({.deferrals = 10});
  CHECK(interrupts == 0);
  set_observer_rate(observer_slot::trace, 1.0);
  notify_interrupted({.deferrals = 100});
  CHECK(interrupts == 100);
  set_observer_rate(observer_slot::trace, 0.0);
  notify_interrupted({.deferrals = 1000});
  CHECK(interrupts == 100);
}

TEST_CASE("observers: a block drawn in an older generation is not reported") {
  const observing places{1.0};
  set_observer_rate(observer_slot::profile, 0.5);
  const std::uint32_t first = observer_generation(observer_slot::profile);
  {
    current.countdown -= 1000;
    const event e{1000};
    set_observer_rate(observer_slot::profile, 1.0);  // another thread, or a callback
    CHECK(observer_generation(observer_slot::profile) == first + 1);
    const std::uint32_t block = track({.address = nullptr,
                                       .raw = nullptr,
                                       .slot = 0,
                                       .from = source::malloc,
                                       .size = 7992,
                                       .counted_words = 1000,
                                       .n_samples = e.n_samples()});
    CHECK(profiled.blocks == 0);
    untrack(block, nullptr);
  }
  untrack_if(allocate(100));  // the event's end has taken the rate over
  CHECK(profiled.blocks == 1);
  CHECK(profiled.samples == 100);
  CHECK(profiled.generation == first + 1);
}

TEST_CASE("observers: promoted once, and not freed if that was the end of the interest") {
  const bool keeps = GENERATE(true, false);
  const observing places{0.0};
  set_observer_rate(observer_slot::trace, 1.0);
  nursery_words = 100;
  traced.keeps = keeps;
  const std::uint32_t stays = allocate(10);
  const std::uint32_t large = allocate(300);
  CHECK(traced.promoted == 1);  // `stays`: the large one was major at once
  for (int i = 0; i < 100; ++i) untrack(allocate(10), nullptr);
  CHECK(traced.promoted == 1);
  CHECK(traced.freed == 100);
  untrack(stays, nullptr);
  untrack(large, nullptr);
  CHECK(traced.freed == (keeps ? 102 : 101));
  CHECK(traced.out_of_order == 0);
}

TEST_CASE("observers: a free that comes while `promoted` runs is reported after it") {
  static std::uint32_t victim;
  static std::uint64_t freed_inside;
  const observing places{0.0};
  set_observer_rate(observer_slot::trace, 1.0);
  nursery_words = 100;
  const std::int64_t minor_before = minor_in_use().weight;
  const std::int64_t major_before = process_totals.major.weight;
  traced.in_promoted = +[]() noexcept {
    std::thread([] { untrack(victim, nullptr); }).join();
    freed_inside = traced.freed;
  };
  victim = allocate(10);
  const std::uint32_t other = allocate(200);
  CHECK(traced.promoted == 1);
  CHECK(freed_inside == 0);
  CHECK(traced.freed == 1);
  CHECK(traced.steps[0] == step::freed_major);
  traced.in_promoted = nullptr;
  untrack(other, nullptr);
  CHECK(minor_in_use().weight == minor_before);
  CHECK(process_totals.major.weight == major_before);
}

TEST_CASE(
    "observers: a function may free, change rates and allocate without being notified of it") {
  static std::uint32_t victim;
  const observing places{0.0};
  set_observer_rate(observer_slot::profile, 1.0);
  victim = allocate(10);
  profiled.in_allocated = +[]() noexcept {
    profiled.in_allocated = nullptr;
    CHECK(allocate(50) == 0);  // muted
    untrack(victim, nullptr);
    set_observer_rate(observer_slot::profile, 0.0);
  };
  untrack(allocate(10), nullptr);
  CHECK(profiled.blocks == 2);
  CHECK(profiled.freed == 2);
  CHECK(current.law.per_word() == 0.0);
  CHECK(current.muted == 0);
}

TEST_CASE("observers: threads that exit, promote and free at the same moment keep the order") {
  const observing places{0.0};
  set_observer_rate(observer_slot::profile, 1.0);
  set_observer_rate(observer_slot::trace, 0.3);
  nursery_words = 500;
  const std::int64_t minor_before = minor_in_use().weight;
  const std::int64_t major_before = process_totals.major.weight;
  constexpr std::size_t length = 64;
  static std::atomic<std::uint32_t> ring[length]{};
  std::atomic<bool> done{false};
  std::thread freer([&] {
    while (!done) {
      for (auto& place : ring) untrack_if(place.exchange(0));
    }
  });
  for (int round = 0; round < 10; ++round) {
    std::vector<std::thread> owners;
    for (std::size_t t = 0; t < 2; ++t) {
      owners.emplace_back([&, t] {
        for (std::size_t i = 0; i < 3'000; ++i) {
          untrack_if(ring[(i + 32 * t) % length].exchange(allocate(10)));
        }
      });
    }
    for (auto& o : owners) o.join();
  }
  done = true;
  freer.join();
  for (auto& place : ring) untrack_if(place.exchange(0));
  for (place_log* l : {&traced, &profiled}) {
    CHECK(l->blocks > 10'000);
    CHECK(l->promoted > 0);
    CHECK(l->freed == l->blocks);
    CHECK(l->out_of_order == 0);
  }
  CHECK(profiled.blocks == 60'000);
  CHECK(minor_in_use().weight == minor_before);
  CHECK(process_totals.major.weight == major_before);
}

TEST_CASE("observers: a forked child has them, and every function that watches forks runs there") {
  static int order = 0;
  static int first = 0;
  static int second = 0;
  const observing places{0.0};
  CHECK(on_fork_in_child(+[] { first = ++order; }));
  CHECK(on_fork_in_child(+[] { second = ++order; }));
  set_observer_rate(observer_slot::profile, 1.0);
  const std::uint32_t block = allocate(10);
  const pid_t child = fork();
  if (child == 0) {
    untrack(block, nullptr);
    untrack(allocate(10), nullptr);
    const bool right = profiled.blocks == 2 && profiled.freed == 2 && first == 1 && second == 2;
    _exit(right ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(profiled.freed == 0);
  untrack(block, nullptr);
}

TEST_CASE("observers: the estimate of the process's memory allows for what they do not see") {
  const observing places{0.0};
  process_totals.interval = 0.0;  // as if no thread had sampled yet
  set_observer_rate(observer_slot::profile, 1e-6);
  CHECK(amount_of_process().unit == Approx(8e6));
  set_observer_rate(observer_slot::profile, 1.0);  // older blocks were not all sampled
  CHECK(amount_of_process().unit == Approx(8e6));
}
