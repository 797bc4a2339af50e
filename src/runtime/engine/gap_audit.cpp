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

// The word of age a, counted from 1, is in bin bit_width(a - 1) - first_bits_, or the nearest.
std::size_t gap_audit::bin_of(std::int64_t age) const noexcept {
  const int bits = 64 - std::countl_zero(static_cast<std::uint64_t>(age - 1));
  return static_cast<std::size_t>(std::clamp(bits - first_bits_, 0, edges));
}

/// The last age of a bin but the last one.
std::int64_t gap_audit::end_of(std::size_t bin) const noexcept {
  return std::int64_t{1} << (first_bits_ + static_cast<int>(bin));
}

void gap_audit::change_law(std::int64_t position,
                           sampling::geometric_distribution const& law) noexcept {
  pass(position);
  settle();
  gap_start_ = seen_ = position;
  const double p = law.per_word();
  per_word_ = p > 0 && p < 1 && !closed_ && take_sums() ? p : 0;
  if (per_word_ == 0) return;
  // log2(2 / p) rounded: the exponent of the double (1024 if it is infinite).
  const auto bits = std::bit_cast<std::uint64_t>(2 * std::numbers::sqrt2 / per_word_);
  const int last_bits = static_cast<int>(bits >> 52) - 1023;
  first_bits_ = static_cast<std::uint16_t>(std::clamp(last_bits, edges - 1, 61) - (edges - 1));
}

bool gap_audit::take_sums() noexcept {
  if (sums_ != nullptr) return true;
  index_ = sums_pool.acquire();
  if (index_ == 0) return false;
  sums_ = &sums_pool[index_];
  *sums_ = {};
  return true;
}

/// Words of these ages were counted, the first one not included.
void gap_audit::enter(std::int64_t from_age, std::int64_t to_age) noexcept {
  const std::size_t last = bin_of(to_age);
  for (std::size_t bin = bin_of(from_age + 1); bin < last; ++bin) {
    sums_->part[bin] += end_of(bin) - from_age;
    from_age = end_of(bin);
  }
  sums_->part[last] += to_age - from_age;
}

void gap_audit::pass(std::int64_t position) noexcept {
  if (position <= seen_) return;
  if (per_word_ != 0) {
    enter(seen_ - gap_start_, position - gap_start_);
    words_ += position - seen_;
  }
  seen_ = position;
}

void gap_audit::take_samples(std::int64_t first, std::int64_t after, std::uint64_t n) noexcept {
  if (per_word_ != 0) {
    const std::int64_t age = std::max<std::int64_t>(first - gap_start_, 1);
    const std::size_t bin = bin_of(age);
    if (seen_ == gap_start_) {
      ++sums_->ended[bin];
      sums_->part[bin] += bin == 0 ? age : age - end_of(bin - 1);
      words_ += age;
    } else {
      pass(first);
      ++sums_->cells[bin].samples;
    }
    take_block(after - first, n - 1);
  }
  gap_start_ = seen_ = after;
}

void gap_audit::take_block(std::int64_t words, std::uint64_t n) noexcept {
  if (per_word_ == 0) return;
  sums_->cells[age_bins].samples += n;
  sums_->part[age_bins] += words;
  words_ += words;
}

/// Into `cells`, at the present rate.
void gap_audit::settle() noexcept {
  if (words_ == settled_) return;
  settled_ = words_;
  auto& [ended, part, cells] = *sums_;
  std::int64_t beyond = 0;  // gaps that ended in later bins
  for (std::size_t bin = age_bins; bin-- > 0;) {
    const std::int64_t width = bin == 0 ? end_of(0) : end_of(bin - 1);
    if (beyond > 0) part[bin] += beyond * width;
    beyond += ended[bin];
    cells[bin].samples += ended[bin];
  }
  ended = {};
  for (std::size_t i = 0; i < audit_cells; ++i) {
    if (part[i] != 0) cells[i].add_words(static_cast<double>(part[i]), per_word_);
  }
  part = {};
}

void gap_audit::hand_over() noexcept {
  if (words_ == 0) return;
  settle();
  process.begun.fetch_add(1, relaxed);
  for (std::size_t i = 0; i < audit_cells; ++i) {
    sampling::tally& cell = sums_->cells[i];
    if (cell.expected <= 0) continue;
    process.cells[i].samples.fetch_add(cell.samples, std::memory_order_release);
    process.cells[i].expected.fetch_add(cell.expected, std::memory_order_release);
    process.cells[i].squares.fetch_add(cell.squares, std::memory_order_release);
    cell = {};
  }
  process.words.fetch_add(words_, std::memory_order_release);
  words_ = settled_ = 0;
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
  per_word_ = 0;
  if (sums_ == nullptr) return;
  sums_ = nullptr;
  sums_pool.release(index_);
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
