// SPDX-License-Identifier: MIT
#include "engine/gap_audit.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "engine/thread_state.hpp"

namespace memprof::engine {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

// -log(1 - k/8): an exponential gap ends in each bin with the same probability.
constexpr std::array<double, age_bins - 1> octiles = {
    0.13353139262452263, 0.28768207245178093, 0.47000362924573555, 0.69314718055994531,
    0.98082925301172624, 1.3862943611198906,  2.0794415416798359};

/// No bin begins beyond this age, so that edges at tiny rates stay integers.
constexpr double longest_age = 0x1p61;

struct shared_tally {
  std::atomic<std::uint64_t> samples{0};
  std::atomic<double> expected{0};
  std::atomic<double> squares{0};
};

// A thread adds to `begun` before and to `done` after it hands over, so a reader that finds them
// equal, and `begun` unchanged afterwards, has seen whole hand-overs only. The additions in between
// are releases and the reader's loads acquires: who sees one of them sees its `begun`, too.
struct process_audit {
  std::atomic<std::uint64_t> begun{0};
  std::atomic<std::uint64_t> done{0};
  std::atomic<std::int64_t> words{0};
  std::array<shared_tally, audit_cells> cells{};
};

constinit process_audit process;

/// A writer may be stopped in the middle (a debugger): the reader then takes what there is.
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

void gap_audit::change_law(std::int64_t position, sampling::gap_law const& law) noexcept {
  pass(position);
  gap_start_ = seen_ = position;
  const double p = law.per_word();
  per_word_ = p < 1 && !closed_ ? p : 0;
  if (per_word_ == edges_of_ || per_word_ == 0) return;
  edges_of_ = per_word_;
  const double mean = 1 / law.hazard();
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    edges_[i] = static_cast<std::int64_t>(std::min(octiles[i] * mean, longest_age));
  }
}

void gap_audit::pass(std::int64_t position) noexcept {
  if (per_word_ == 0 || position <= seen_) {
    seen_ = std::max(seen_, position);
    return;
  }
  const std::int64_t last = position - gap_start_;
  std::int64_t from = seen_ - gap_start_;
  std::size_t bin = 0;
  while (bin < edges_.size() && from >= edges_[bin]) ++bin;
  for (; bin < edges_.size() && last > edges_[bin]; ++bin) {
    cells_[bin].add_words(static_cast<double>(edges_[bin] - from), per_word_);
    from = edges_[bin];
  }
  cells_[bin].add_words(static_cast<double>(last - from), per_word_);
  words_ += position - seen_;
  seen_ = position;
}

void gap_audit::take_samples(std::int64_t first, std::int64_t after, std::uint64_t n) noexcept {
  if (per_word_ == 0) {
    gap_start_ = seen_ = after;
    return;
  }
  pass(first);
  const std::int64_t age = first - gap_start_;
  std::size_t bin = 0;
  while (bin < edges_.size() && age > edges_[bin]) ++bin;
  ++cells_[bin].samples;
  take_block(after - seen_, n - 1);
  gap_start_ = seen_ = after;
}

void gap_audit::take_block(std::int64_t words, std::uint64_t n) noexcept {
  if (per_word_ == 0) return;
  cells_[age_bins].samples += n;
  cells_[age_bins].add_words(static_cast<double>(words), per_word_);
  words_ += words;
}

void gap_audit::hand_over() noexcept {
  if (words_ == 0) return;
  process.begun.fetch_add(1, relaxed);
  for (std::size_t i = 0; i < audit_cells; ++i) {
    if (cells_[i].expected <= 0) continue;
    process.cells[i].samples.fetch_add(cells_[i].samples, std::memory_order_release);
    process.cells[i].expected.fetch_add(cells_[i].expected, std::memory_order_release);
    process.cells[i].squares.fetch_add(cells_[i].squares, std::memory_order_release);
    cells_[i] = {};
  }
  process.words.fetch_add(words_, std::memory_order_release);
  words_ = 0;
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
}

audit_totals read_audit() noexcept {
  ensure_started();
  const muted_section muted;
  current.audit.pass(position_now());
  current.audit.hand_over();
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    const std::uint64_t done = process.done.load(std::memory_order_acquire);
    if (process.begun.load(relaxed) == done) {
      const audit_totals t = load_totals();
      if (process.begun.load(relaxed) == done) return t;
    }
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
