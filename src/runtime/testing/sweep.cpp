// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <random>
#include <stdexcept>

#include "memprof/limits.hpp"
#include "memprof/testing.hpp"

#include "copies/copies.hpp"
#include "testing/symbol_names.hpp"
#include "testing/trial.hpp"

namespace memprof::inline v0::testing::detail {
namespace {

void check_options(interrupt_options const& o) {
  if (o.repeat == 0) {
    throw std::invalid_argument("memprof::testing: repeat is 0; at least 1 is needed");
  }
  if (o.isolate && (o.hang_after.count() <= 0 || o.hang_after.count() > 2'000'000'000)) {
    throw std::invalid_argument("memprof::testing: hang_after is " +
                                std::to_string(o.hang_after.count()) + " ms");
  }
  if (o.time_limit && o.time_limit->count() < 0) {
    throw std::invalid_argument("memprof::testing: the time limit is negative");
  }
}

/// Below n, n > 0; the same on every machine. The bias of the remainder does not matter here.
std::uint64_t below(std::mt19937_64& random, std::uint64_t n) { return random() % n; }

/// `most` of 1 ... n in order, each subset with the same probability (Knuth 3.4.2, algorithm S); in
/// random order if a time limit may cut the list.
std::vector<std::uint64_t> choose(std::uint64_t n, interrupt_options const& o) {
  std::mt19937_64 random(o.seed);
  std::uint64_t needed = o.max_points == 0 ? n : std::min(n, o.max_points);
  std::vector<std::uint64_t> chosen;
  chosen.reserve(needed);
  for (std::uint64_t i = 1; needed > 0; ++i) {
    if (below(random, n - i + 1) >= needed) continue;
    chosen.push_back(i);
    --needed;
  }
  if (o.time_limit) {
    for (std::size_t i = chosen.size(); i > 1; --i) {
      std::swap(chosen[i - 1], chosen[below(random, i)]);
    }
  }
  return chosen;
}

class sweeper {
 public:
  sweeper(subject const& s, interrupt_options const& options)
      : options_(options), trial_(s, options_) {}

  interrupt_report run_all() {
    if (!run_uninterrupted()) return std::move(report_);
    const auto ordinals = choose(report_.points, options_);
    std::uint64_t tried = 0;
    for (std::uint64_t const ordinal : ordinals) {
      if (is_late()) break;
      ++tried;
      if (!try_point(ordinal) && !options_.keep_going) break;
    }
    report_.left_out = report_.points - tried;
    if ((report_.ok() || options_.keep_going) && report_.complete()) run_beyond();
    return std::move(report_);
  }

  interrupt_report run_one(std::uint64_t ordinal) {
    if (!run_uninterrupted()) return std::move(report_);
    report_.left_out = report_.points;
    if (ordinal > 0) {
      try_point(ordinal);
      if (report_.unreached == 0) --report_.left_out;
    }
    return std::move(report_);
  }

 private:
  [[nodiscard]] bool is_late() const {
    return options_.time_limit && std::chrono::steady_clock::now() - start_ >= *options_.time_limit;
  }

  /// Counts the points. False if a run without interrupt already fails.
  bool run_uninterrupted() {
    trial_result warm;
    trial_result first;
    trial_result second;
    trial_.warm_up(warm);
    if (!passes(warm, 0)) return false;
    trial_.judge(0, first);
    if (!passes(first, 0)) return false;
    trial_.judge(0, second);
    if (!passes(second, 0)) return false;
    report_.points = std::max(first.seen.points, second.seen.points);
    report_.deterministic =
        first.seen.points == second.seen.points && first.seen.signature == second.seen.signature;
    if (report_.points == 0) {
      second.what = failure_kind::no_points;
      return passes(second, 0);
    }
    return true;
  }

  bool try_point(std::uint64_t ordinal) {
    for (unsigned i = 0; i < options_.repeat; ++i) {
      trial_result v;
      judge(ordinal, v);
      count(v);
      if (!passes(v, ordinal)) return false;
    }
    return true;
  }

  /// An interrupt may have emptied a cache, so that later runs have more points than were counted.
  void run_beyond() {
    std::uint64_t const most = 2 * report_.points + 16;
    for (std::uint64_t ordinal = report_.points + 1; ordinal <= most && !is_late(); ++ordinal) {
      trial_result v;
      judge(ordinal, v);
      if (v.what == failure_kind::none && !v.seen.hit) return;
      report_.points = ordinal;
      report_.deterministic = false;
      count(v);
      if (!passes(v, ordinal) && !(options_.keep_going && v.seen.hit)) return;
    }
  }

  void judge(std::uint64_t ordinal, trial_result& v) const {
    if (options_.isolate) {
      judge_isolated(trial_, ordinal, v);
    } else {
      trial_.judge(ordinal, v);
    }
  }

  void count(trial_result const& v) {
    ++report_.tried;
    if (!v.seen.hit) {
      ++report_.unreached;
      report_.deterministic = false;
    } else if (!v.deferred()) {
      ++report_.delivered;
    } else {
      ++report_.deferred;
      if (v.delivered()) ++report_.late;
      count_deferral(v);
    }
  }

  void count_deferral(trial_result const& v) {
    // Without a reason nothing was tried: a task that can pause paused instead.
    std::string const reason =
        v.seen.deferral != nullptr ? v.seen.deferral : "in a task that paused instead";
    std::string const place = v.seen.deferred_by != 0
                                  ? name_of(reinterpret_cast<void*>(v.seen.deferred_by)).function
                                  : std::string();
    for (deferral_group& g : report_.deferrals) {
      if (g.reason != reason || g.place != place) continue;
      ++g.points;
      return;
    }
    report_.deferrals.push_back({reason, place, 1, v.seen.wanted});
  }

  /// False, and noted, if the trial_result is a failure.
  bool passes(trial_result const& v, std::uint64_t ordinal) {
    if (v.what == failure_kind::none) return true;
    report_.failures.push_back({.ordinal = ordinal,
                                .seed = options_.seed,
                                .what = v.what,
                                .detail = v.text.data(),
                                .delivered = v.delivered(),
                                .stack = names_of(v.seen.stack.data(), v.seen.depth)});
    if (!report_.first_failure) report_.first_failure = report_.failures.front();
    return false;
  }

  interrupt_options options_;
  trial trial_;
  interrupt_report report_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

interrupt_report sweep(subject const& s, interrupt_options const& options, std::uint64_t replay) {
  if (auto const* const other = copies::other()) return other->sweep(s, options, replay);
  check_options(options);
  if (memprof::detail::is_limited()) {
    throw std::logic_error("memprof::testing: for_each_interrupt was called inside a limit");
  }
  static_cast<void>(limit_allocations(max_allocation_limit, [] {}));  // throws not_active
  sweeper all(s, options);
  return replay == 0 ? all.run_all() : all.run_one(replay - 1);
}

}  // namespace memprof::inline v0::testing::detail
