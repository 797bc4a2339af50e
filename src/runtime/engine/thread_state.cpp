// SPDX-License-Identifier: MIT
#include "engine/thread_state.hpp"

#include <algorithm>
#include <cstddef>

#include "engine/estimate_audit.hpp"
#include "engine/event.hpp"
#include "engine/observer_calls.hpp"
#include "engine/outside_call.hpp"
#include "engine/process_seed.hpp"
#include "engine/process_state.hpp"
#include "engine/totals.hpp"

namespace memprof::engine {

constinit thread_local thread_state current;

namespace {

constexpr std::int64_t first_impossible_words = std::int64_t{1} << 44;

void draw_next_sample() noexcept {
  // `never` is 2^62: the sum cannot overflow.
  current.next_sample = current.position + current.law.draw(current.random);
}

double wanted_rate(double observed) noexcept {
  return std::max({process_rate(), current.demand, observed});
}

/// A thread that has this version adopts the rates when its event closes.
std::uint32_t version_not_in_force() noexcept {
  return rate_version.load(std::memory_order_relaxed) - 1;
}

/// Of the observers' rates as this thread adopted them the highest.
double observed_rate() noexcept {
  double highest = 0.0;
  for (adopted_rate const& r : current.observed) highest = std::max(highest, r.per_word);
  return highest;
}

/// The sums that this thread's blocks are part of may hold some that this rate did not sample.
void note_rate() noexcept {
  const double interval = interval_of_thread();
  note_interval(process_totals.interval, interval);
  note_interval(current.owner, interval);
}

/// Adopts the rates in force. The gap drawn earlier is dropped: the law has no memory, and the
/// moment of the change does not depend on it, so the samples stay unbiased.
void adopt_rate() noexcept {
  const std::uint32_t version = rate_version.load(std::memory_order_acquire);
  const bool changed = version != current.rate_version;  // else only the demand has
  current.rate_version = version;
  const double wanted = wanted_rate(changed ? adopt_observer_rates() : observed_rate());
  if (wanted == current.law.per_word()) return;
  current.law = sampling::geometric_distribution(wanted);
  current.audit.change_law(current.position, current.law);
  draw_next_sample();
  note_rate();
}

void start_thread() noexcept {
  current.started = true;
  ensure_process_started();
  watch_thread_exit();
  if (!current.keeps) current.audit.close(0);  // its sums would never be returned
  seed_thread(current.random);
  current.rate_version = rate_version.load(std::memory_order_acquire);
  current.law = sampling::geometric_distribution(wanted_rate(adopt_observer_rates()));
  current.audit.change_law(current.position, current.law);
  draw_next_sample();
  note_rate();
}

void arm() noexcept {
  const std::int64_t to_sample = current.next_sample - 1 - current.position;
  const std::int64_t to_wakeup = current.wakeup - current.position;
  const std::int64_t to_hand_over = current.audit.due() - current.position;
  const std::int64_t distance = std::min({to_sample, to_wakeup, to_hand_over});
  // An impossible request never fits: it comes to an event, which does not count it.
  current.armed = std::clamp<std::int64_t>(distance, 0, first_impossible_words - 1);
}

}  // namespace

event::event(std::int64_t words) noexcept : words_(words) {
  const bool nested = current.muted > 0;  // inside another event: nothing is counted
  if (nested) {
    words_ = 0;
    ++current.muted;
    return;
  }
  if (words_ >= first_impossible_words) {
    current.countdown += words_;
    impossible_words_ = words_;
    words_ = 0;
  }
  const std::int64_t counted = current.armed - current.countdown;
  current.muted = 1;
  current.muted_by = this;
  current.countdown = muted_countdown;
  if (!current.started) start_thread();
  const std::int64_t before = current.position + counted - words_;
  current.armed = current.held_countdown = 0;  // nothing is counted but in `position`
  if (current.next_sample <= before) {
    // Only after a signal handler allocated in the middle of a fast path.
    current.position = before;
    draw_next_sample();
  }
  current.position = before + words_;
  if (current.position >= current.next_sample) {
    const std::int64_t first = current.next_sample;
    const auto [more, next] =
        sampling::draw_marks(current.random, current.law, first, current.position);
    n_samples_ = 1 + more;
    current.next_sample = next;
    current.audit.take_samples(first, current.position, n_samples_);
    count_sampled_block(n_samples_);
    expect_block(words_, n_samples_, current.law);
  }
}

// The words that follow take the place of those withdrawn, at the distance from the next sample
// that is left: the geometric law has no memory, so what the withdrawn words had says nothing about
// it.
void event::withdraw() const noexcept {
  forgo_block();
  if (words_ == 0) return;
  if (n_samples_ > 0) uncount_sampled_block(n_samples_);
  if (current.block.before_pause) return;  // counted by the thread on which the task paused
  current.audit.withdraw(current.position, words_);
  current.position -= words_;
  current.next_sample -= words_;
}

void withdraw_unsampled(std::int64_t words) noexcept {
  if (current.muted > 0) return;  // they were not counted
  current.audit.withdraw(position_now(), words);
  current.armed -= words;
  current.next_sample -= words;
}

event::~event() { close_event(); }

block_draw take_block() noexcept {
  auto& b = current.block;
  const block_draw draw{rate_of_block(), current.observed, b.n_samples, b.words};
  b.n_samples = 0;
  return draw;
}

void continue_block(block_draw const& draw) noexcept {
  current.block.before_pause = true;
  current.block.drawn_at = draw.per_word;
  current.block.n_samples = draw.n_samples;
  current.block.words = draw.words;
  for (std::size_t i = 0; i < observer_slots; ++i) {
    current.block.not_for[i] = draw.observed[i].generation != current.observed[i].generation;
  }
}

// Not inlined: a task that was paused may end its event on another thread, whose thread-local data
// must be addressed anew.
[[gnu::noinline]] void close_event() noexcept {
  if (current.muted > 1) {
    --current.muted;
    return;
  }
  current.block.before_pause = false;
  close_block();
  take_back_grant();  // if there was no memory, or an interrupt instead
  age_nursery();      // notifies observers of promotions: still muted
  if (outside_call.load(std::memory_order_relaxed) != 0) [[unlikely]]
    answer_outside_call();
  current.muted = 0;
  current.audit.hand_over_if_due(current.position);
  if (current.rate_version != rate_version.load(std::memory_order_relaxed)) adopt_rate();
  arm();
  current.countdown = current.armed;
}

void ensure_started() noexcept {
  if (!current.started) rearm();
}

void rearm() noexcept { const event settle; }

void set_demand(double per_word) noexcept {
  const event settle;
  current.demand = per_word;
  adopt_rate();
}

void set_demand_after_event(double per_word) noexcept {
  current.demand = per_word;
  current.rate_version = version_not_in_force();
}

void restart_random() noexcept {
  const event settle;
  seed_thread(current.random);
  draw_next_sample();
}

// An event would not do: the fork may have come in the middle of one, or in a muted section. The
// next allocation finds a countdown of 0 and arms it for the new gap.
void restart_random_after_fork() noexcept {
  if (!current.started) return;
  std::int64_t& countdown = current.muted > 0 ? current.held_countdown : current.countdown;
  current.position += current.armed - countdown;
  current.armed = countdown = 0;
  seed_thread(current.random);
  draw_next_sample();
}

void restart_random(std::uint64_t seed) noexcept {
  const event settle;
  sampling::seed(current.random, seed, 0);
  draw_next_sample();
}

}  // namespace memprof::engine
