// SPDX-License-Identifier: MIT
#include "engine/gap_audit.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <numbers>
#include <sched.h>

#include "base/base.hpp"
#include "engine/thread_state.hpp"

namespace memprof::engine {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

constexpr int edges = static_cast<int>(age_bins) - 1;

struct shared_tally {
  std::atomic<std::uint64_t> samples{0};
  std::atomic<double> expected{0};
  std::atomic<double> squares{0};
};

// A thread adds to `begun` before and to `done` after it hands over. If `begun` after a reading is
// what `done` was before it, none was under way, and the reader has whole hand-overs only. The
// additions in between are releases and the reader's loads acquires: a reader that sees one of
// them sees its `begun`, too.
struct process_audit {
  std::atomic<std::uint64_t> begun{0};
  std::atomic<std::uint64_t> done{0};
  std::atomic<std::int64_t> words{0};
  std::array<shared_tally, audit_cells> cells{};
};

constinit process_audit process;

constinit base::index_pool<audit_sums, 5> sums_pool;

/// A writer may be stopped in the middle (a debugger): the reader then uses what there is.
constexpr int most_attempts = 1000;

audit_totals load_totals() noexcept {
  audit_totals t;
  t.words = process.words.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < audit_cells; ++i) {
    shared_tally const& cell = process.cells[i];
    t.cells[i] = {.samples = cell.samples.load(std::memory_order_acquire),
                  .expected = cell.expected.load(std::memory_order_acquire),
                  .squares = cell.squares.load(std::memory_order_acquire)};
  }
  return t;
}

}  // namespace

// The word of age a, counted from 1, is in bin bit_width(a - 1) - first_bits, or the nearest.
std::size_t audit_sums::bin_of(std::int64_t age) const noexcept {
  const int bits = 64 - std::countl_zero(static_cast<std::uint64_t>(age - 1));
  return static_cast<std::size_t>(std::clamp(bits - first_bits, 0, edges));
}

std::int64_t audit_sums::end_of(std::size_t bin) const noexcept {
  return std::int64_t{1} << (first_bits + static_cast<int>(bin));
}

void audit_sums::enter(std::int64_t from_age, std::int64_t to_age) noexcept {
  const std::size_t last = bin_of(to_age);
  for (std::size_t bin = bin_of(from_age + 1); bin < last; ++bin) {
    part[bin] += end_of(bin) - from_age;
    from_age = end_of(bin);
  }
  part[last] += to_age - from_age;
}

void audit_sums::pass(std::int64_t position) noexcept {
  if (position <= seen) return;
  if (per_word != 0) {
    enter(seen - gap_start, position - gap_start);
    words += position - seen;
  }
  seen = position;
}

void audit_sums::settle() noexcept {
  if (words == settled) return;
  settled = words;
  std::int64_t beyond = 0;  // gaps that ended in later bins
  for (std::size_t bin = age_bins; bin-- > 0;) {
    const std::int64_t width = bin == 0 ? end_of(0) : end_of(bin - 1);
    if (beyond > 0) part[bin] += beyond * width;
    beyond += ended[bin];
    cells[bin].samples += ended[bin];
  }
  ended = {};
  for (std::size_t i = 0; i < audit_cells; ++i) {
    if (part[i] != 0) cells[i].add_words(static_cast<double>(part[i]), per_word);
  }
  part = {};
}

void gap_audit::change_law(std::int64_t position,
                           sampling::geometric_distribution const& law) noexcept {
  double p = law.per_word();
  if (!(p > 0 && p < 1) || closed_) p = 0;
  if (sums_ == nullptr && (p == 0 || !take_sums())) return;
  sums_->pass(position);
  sums_->settle();
  sums_->gap_start = sums_->seen = position;
  sums_->per_word = p;
  if (p == 0) return;
  // log2(2 / p) rounded: the exponent of the double (1024 if it is infinite).
  const auto bits = std::bit_cast<std::uint64_t>(2 * std::numbers::sqrt2 / p);
  const int last_bits = static_cast<int>(bits >> 52) - 1023;
  sums_->first_bits =
      static_cast<std::uint16_t>(std::clamp(last_bits, edges - 1, 61) - (edges - 1));
}

bool gap_audit::take_sums() noexcept {
  const std::uint32_t index = sums_pool.acquire();
  if (index == 0) return false;
  sums_ = &sums_pool[index];
  *sums_ = {.index = index};
  return true;
}

void gap_audit::take_samples(std::int64_t first, std::int64_t after, std::uint64_t n) noexcept {
  if (sums_ == nullptr) return;
  audit_sums& s = *sums_;
  if (s.per_word != 0) {
    const std::int64_t age = std::max<std::int64_t>(first - s.gap_start, 1);
    const std::size_t bin = s.bin_of(age);
    if (s.seen == s.gap_start) {
      ++s.ended[bin];
      s.part[bin] += bin == 0 ? age : age - s.end_of(bin - 1);
      s.words += age;
    } else {
      s.pass(first);
      ++s.cells[bin].samples;
    }
    take_block(after - first, n - 1);
  }
  s.gap_start = s.seen = after;
}

void gap_audit::take_block(std::int64_t words, std::uint64_t n) noexcept {
  if (sums_ == nullptr || sums_->per_word == 0) return;
  sums_->cells[age_bins].samples += n;
  sums_->part[age_bins] += words;
  sums_->words += words;
}

void gap_audit::withdraw(std::int64_t position, std::int64_t words) noexcept {
  due_ -= words;
  if (sums_ == nullptr) return;
  sums_->pass(position);
  sums_->gap_start -= words;
  sums_->seen -= words;
}

void gap_audit::hand_over() noexcept {
  if (sums_ == nullptr || sums_->words == 0) return;
  sums_->settle();
  process.begun.fetch_add(1, relaxed);
  for (std::size_t i = 0; i < audit_cells; ++i) {
    sampling::tally& cell = sums_->cells[i];
    if (cell.expected <= 0) continue;
    process.cells[i].samples.fetch_add(cell.samples, std::memory_order_release);
    process.cells[i].expected.fetch_add(cell.expected, std::memory_order_release);
    process.cells[i].squares.fetch_add(cell.squares, std::memory_order_release);
    cell = {};
  }
  process.words.fetch_add(sums_->words, std::memory_order_release);
  sums_->words = sums_->settled = 0;
  process.done.fetch_add(1, std::memory_order_release);
}

void gap_audit::hand_over_at(std::int64_t position) noexcept {
  pass(position);
  hand_over();
  due_ = position + hand_over_interval;
}

void gap_audit::close(std::int64_t position) noexcept {
  pass(position);
  hand_over();
  closed_ = true;
  if (sums_ == nullptr) return;
  const std::uint32_t index = sums_->index;
  sums_ = nullptr;
  sums_pool.release(index);
}

audit_totals read_audit() noexcept {
  ensure_started();
  const muted_section muted;
  current.audit.pass(position_now());
  current.audit.hand_over();
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    const std::uint64_t done = process.done.load(std::memory_order_acquire);
    const audit_totals t = load_totals();
    if (process.begun.load(relaxed) == done) return t;
    sched_yield();
  }
  return load_totals();
}

void reset_audit_after_fork() noexcept {
  process.begun.store(0, relaxed);
  process.done.store(0, relaxed);
  process.words.store(0, relaxed);
  for (shared_tally& cell : process.cells) {
    cell.samples.store(0, relaxed);
    cell.expected.store(0, relaxed);
    cell.squares.store(0, relaxed);
  }
}

}  // namespace memprof::engine
