// SPDX-License-Identifier: MIT
#include "engine/totals.hpp"

#include <algorithm>

#include "base/base.hpp"
#include "engine/thread_state.hpp"

namespace memprof::engine {

constinit totals_of_process process_totals;

namespace {

constexpr double residual_unit = 1048576.0;

constinit base::thread_counters<thread_totals> of_threads;
constinit thread_totals of_others;  ///< of threads without sums of their own
constinit thread_local thread_totals* this_thread_totals = nullptr;

/// Calls change(sums, add), with the kind of addition that these sums need.
template <class Change>
void change_mine(Change&& change) noexcept {
  if (thread_totals* const t = this_thread_totals) [[likely]] {
    change(*t, base::add_alone{});
  } else {
    change(of_others, base::add_locked{});
  }
}

template <class Each>
void each_of_all(Each&& each) noexcept {
  each(of_others);
  of_threads.each(each);
}

}  // namespace

bool grant(std::int64_t weight, std::int64_t most) noexcept {
  auto& granted = process_totals.granted;
  std::int64_t others = granted.load(std::memory_order_relaxed);
  do {
    // Compared with the sum as it is now: two threads that ask at once do not both get the rest.
    if (process_totals.major.whole_bytes() + others + weight > most) {
      return false;
    }
    if (weight == 0) return true;
  } while (!granted.compare_exchange_weak(others, others + weight, std::memory_order_relaxed));
  current.granted += weight;
  return true;
}

void grant_anyway(std::int64_t weight) noexcept {
  if (weight == 0) return;
  process_totals.granted.fetch_add(weight, std::memory_order_relaxed);
  current.granted += weight;
}

void take_back_grant() noexcept {
  if (current.granted == 0) [[likely]]
    return;
  process_totals.granted.fetch_sub(current.granted, std::memory_order_relaxed);
  current.granted = 0;
}

void reset_grants_after_fork() noexcept {
  process_totals.granted.store(current.granted, std::memory_order_relaxed);
}

void add_minor(rounded_contribution const& c) noexcept {
  change_mine([&](thread_totals& t, auto add) { c.for_each(t.minor, add); });
}

void subtract_minor(rounded_contribution const& c) noexcept {
  change_mine([&](thread_totals& t, auto add) {
    c.for_each(t.minor, [&](auto& sum, std::int64_t part) { add(sum, -part); });
  });
}

void count_sampled_block(std::uint64_t n_samples) noexcept {
  change_mine([&](thread_totals& t, auto add) {
    add(t.sampled_blocks, 1);
    add(t.samples, static_cast<std::int64_t>(n_samples));
  });
}

void uncount_sampled_block(std::uint64_t n_samples) noexcept {
  change_mine([&](thread_totals& t, auto add) {
    add(t.sampled_blocks, -1);
    add(t.samples, -static_cast<std::int64_t>(n_samples));
  });
}

void add_residual(consumer who, residual const& more) noexcept {
  // An external block of 2^44 words at a rate of 1 has more samples than there is room for.
  const auto fixed = [](double x) {
    return static_cast<std::int64_t>(std::clamp(x * residual_unit, -0x1p62, 0x1p62));
  };
  change_mine([&](thread_totals& t, auto add) {
    thread_totals::residual_sums& r = t.residuals[static_cast<std::size_t>(who)];
    add(r.expected, fixed(more.expected));
    add(r.excess, fixed(more.excess));
    add(r.variance, fixed(more.variance));
  });
}

residual read_residual(consumer who) noexcept {
  residual all;
  each_of_all([&](thread_totals const& t) {
    thread_totals::residual_sums const& r = t.residuals[static_cast<std::size_t>(who)];
    const auto read = [](std::atomic<std::int64_t> const& sum) {
      return static_cast<double>(sum.load(std::memory_order_relaxed)) / residual_unit;
    };
    all.expected += read(r.expected);
    all.excess += read(r.excess);
    all.variance += read(r.variance);
  });
  return all;
}

amounts minor_in_use() noexcept {
  amounts all;
  each_of_all([&](thread_totals const& t) { all.add(t.minor); });
  return all;
}

sampled_counts sampled_so_far() noexcept {
  sampled_counts all;
  each_of_all([&](thread_totals const& t) {
    all.blocks += static_cast<std::uint64_t>(t.sampled_blocks.load(std::memory_order_relaxed));
    all.samples += static_cast<std::uint64_t>(t.samples.load(std::memory_order_relaxed));
  });
  return all;
}

void open_totals_of_thread() noexcept { this_thread_totals = of_threads.open(); }
void close_totals_of_thread() noexcept { of_threads.close(this_thread_totals); }

}  // namespace memprof::engine
