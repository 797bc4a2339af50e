// SPDX-License-Identifier: MIT
#include "limits/soft_limits.hpp"

#include <algorithm>
#include <cmath>

#include "limits/check_arguments.hpp"
#include "limits/confidence_check.hpp"
#include "limits/global_limit.hpp"

namespace memprof::inline v0 {

void soft_limit_notice::raise_limit(bytes new_limit) {
  detail::check_amount("soft_limit_notice::raise_limit", new_limit);
  limit_ = new_limit;
  raised_ = true;
}

namespace detail {
namespace {

constinit std::atomic<std::uint64_t> failures{0};

std::atomic<double>& progress(scope& s, limit_kind kind) noexcept {
  auto& of = s.request.shared != nullptr ? s.request.shared->soft : s.soft;
  return of[static_cast<std::size_t>(kind)];
}

/// Sets the progress to `fraction` if it was less. True for the one thread that did.
bool advance(std::atomic<double>& reached, double fraction) noexcept {
  double seen = reached.load(std::memory_order_relaxed);
  while (seen < fraction) {
    if (reached.compare_exchange_weak(seen, fraction, std::memory_order_relaxed)) return true;
  }
  return false;
}

/// Sets a raised limit: the scope's, the budget's or the process's.
void raise(scope& s, limit_kind kind, std::int64_t limit) noexcept {
  if (kind == limit_kind::global_memory) {
    store_global_limit(limit);
  } else {
    set_limit(s, kind, limit);
  }
}

}  // namespace

std::int64_t next_soft_amount(scope& s, limit_kind kind, std::int64_t limit) noexcept {
  double next = 1.0;
  if (s.request.soft.empty()) return limit;
  const double reached = progress(s, kind).load(std::memory_order_relaxed);
  for (soft_limit const& soft : s.request.soft) {
    if (soft.fraction > reached) next = std::min(next, soft.fraction);
  }
  // One byte less: a soft limit is reached at its amount, an exact limit only beyond its own.
  return next >= 1.0 && reached >= 1.0
             ? limit
             : static_cast<std::int64_t>(std::ceil(next * static_cast<double>(limit))) - 1;
}

std::int64_t call_soft_limits(scope& s, limit_kind kind, std::int64_t limit,
                              engine::sampled_amount const& amount) noexcept {
  std::atomic<double>& reached = progress(s, kind);
  const double before = reached.load(std::memory_order_relaxed);
  const auto is_left = [before](soft_limit const& soft) { return soft.fraction > before; };
  if (std::ranges::none_of(s.request.soft, is_left)) return limit;
  const double seen = possible_amount(s, amount, next_soft_amount(s, kind, limit));
  const double now = limit > 0 ? seen / static_cast<double>(limit) : 1.0;
  double highest = 0.0;
  for (soft_limit const& soft : s.request.soft) {
    if (soft.fraction > before && soft.fraction <= now) highest = std::max(highest, soft.fraction);
  }
  if (highest == 0.0 || !advance(reached, highest)) return limit;

  const estimate measured = amount.with(0.95);
  for (soft_limit const& soft : s.request.soft) {
    if (soft.fraction <= before || soft.fraction > highest || !soft.callback) continue;
    soft_limit_notice notice{kind, bytes{limit}, measured};
    try {
      soft.callback(notice);
    } catch (...) {
      count_callback_failure();
    }
    if (notice.raised()) {
      limit = notice.limit().count();
      raise(s, kind, limit);
      // Armed again: those above what is used of the new limit now.
      const double used = limit > 0 ? seen / static_cast<double>(limit) : 1;
      reached.store(std::min(used, 1.0), std::memory_order_relaxed);
    }
  }
  return limit;
}

void rearm_soft_limits(scope& s, limit_kind kind, std::int64_t old_limit,
                       std::int64_t new_limit) noexcept {
  auto& reached = progress(s, kind);
  const double used = reached.load(std::memory_order_relaxed) * static_cast<double>(old_limit);
  const double fraction = new_limit > 0 ? used / static_cast<double>(new_limit) : 1.0;
  reached.store(std::min(fraction, 1.0), std::memory_order_relaxed);
}

void count_callback_failure() noexcept { failures.fetch_add(1, std::memory_order_relaxed); }

std::uint64_t callback_failures() noexcept { return failures.load(std::memory_order_relaxed); }

}  // namespace detail
}  // namespace memprof::inline v0
