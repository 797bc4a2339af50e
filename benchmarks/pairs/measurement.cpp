// SPDX-License-Identifier: MIT
#include "measurement.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>

#include "branch_prediction.hpp"
#include "work.hpp"

namespace pairs {
namespace {

constexpr double turn_nanoseconds = 100'000;
constexpr std::uint64_t unwinds_in_a_turn = 10;

/// A variant while a workload is measured.
struct player {
  loaded_variant const* variant = nullptr;
  live_blocks live;
  counts before;
  std::uint64_t pairs = 0;
};

class table {
 public:
  table(workload const& w, chosen_variants const& variants, plan const& p)
      : loops_(p.frame_pointers ? loops_with_frame_pointers : loops_without_frame_pointers),
        work_(loops_.*w.work),
        plan_(p) {
    for (loaded_variant const* v : variants) {
      player& added = players_.emplace_back();
      added.variant = v;
      added.live.random_reads = players_.size();
      added.live.fill(v->functions(), w.live);
    }
    find_pairs_in_a_turn();
    for (player& each : players_) {
      play(each);
      each.before = each.variant->look();
      each.pairs = 0;
    }
  }
  ~table() {
    for (player& each : players_) each.live.empty(each.variant->functions());
  }
  table(table const&) = delete;
  table& operator=(table const&) = delete;

  void play_round(result& r) {
    const std::size_t n = players_.size();
    std::vector<std::size_t> order(n * static_cast<std::size_t>(plan_.turns));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i % n;
    std::shuffle(order.begin(), order.end(), random_);
    std::vector<double> nanoseconds(n);
    for (const std::size_t i : order) nanoseconds[i] += play_counted(players_[i], r);
    const double pairs = static_cast<double>(pairs_in_a_turn_) * plan_.turns;
    for (std::size_t i = 0; i < n; ++i) {
      r.variants[i].nanoseconds.push_back(nanoseconds[i] / pairs);
    }
    turn t{.pairs = unwinds_in_a_turn, .depth = plan_.depth, .work = loops_.unwind};
    t.functions = &players_[0].variant->functions();
    loops_.take_turn(t);
    r.unwinds.push_back(t.nanoseconds / static_cast<double>(unwinds_in_a_turn));
  }

  void count_samples(result& r) const {
    for (std::size_t i = 0; i < players_.size(); ++i) {
      const counts now = players_[i].variant->look();
      if (now.interrupts != 0) {
        throw std::runtime_error("variant " + std::string(players_[i].variant->what().name) +
                                 ": a limit was reached");
      }
      const auto sampled = now.sampled_blocks - players_[i].before.sampled_blocks;
      r.variants[i].samples_per_pair =
          static_cast<double>(sampled) / static_cast<double>(players_[i].pairs);
    }
  }

 private:
  /// A turn that counts: any, or one among predicted calls.
  double play_counted(player& who, result& r) {
    constexpr int most_attempts = 100'000;  // ten seconds
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
      const bool before = indirect_calls_are_predicted();
      const double nanoseconds = play(who);
      const bool predicted = before && indirect_calls_are_predicted();
      ++r.turns;
      r.predicted += predicted ? 1 : 0;
      if (predicted || !plan_.predicted_only) return nanoseconds;
    }
    throw std::runtime_error("indirect calls are not predicted: something else runs on this core");
  }

  double play(player& who) {
    struct call {
      loops const& with;
      turn t;
    } c{.with = loops_,
        .t = {.functions = &who.variant->functions(),
              .live = &who.live,
              .pairs = pairs_in_a_turn_,
              .depth = plan_.depth,
              .work = work_}};
    who.variant->run(
        [](void* context) {
          auto& it = *static_cast<call*>(context);
          it.with.take_turn(it.t);
        },
        &c);
    who.pairs += pairs_in_a_turn_;
    return c.t.nanoseconds;
  }

  /// From what the bare allocator takes; a multiple of 8, for the batches. What is not warm yet
  /// makes the first tries long.
  void find_pairs_in_a_turn() {
    for (int attempt = 0; attempt < 6; ++attempt) {
      const double each = play(players_[0]) / static_cast<double>(pairs_in_a_turn_);
      const double wanted = std::clamp(turn_nanoseconds / std::max(each, 0.1), 8.0, 1e6);
      pairs_in_a_turn_ = static_cast<std::uint64_t>(wanted) / 8 * 8;
    }
  }

  loops const& loops_;
  void (*work_)(turn&);
  plan const& plan_;
  std::vector<player> players_;
  std::uint64_t pairs_in_a_turn_ = 8;
  std::mt19937_64 random_{42};
};

std::vector<double> each(std::vector<double> const& a, std::vector<double> const& b,
                         double (*f)(double, double)) {
  std::vector<double> values(std::min(a.size(), b.size()));
  std::transform(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(values.size()), b.begin(),
                 values.begin(), f);
  return values;
}

}  // namespace

series const* result::find(char const* variant_name) const {
  for (series const& s : variants) {
    if (std::strcmp(s.what->name, variant_name) == 0) return &s;
  }
  return nullptr;
}

result measure(workload const& w, chosen_variants const& variants, plan const& p) {
  if (w.reads) prepare_reads();
  result r{.what = &w};
  for (loaded_variant const* v : variants) r.variants.emplace_back().what = &v->what();
  table t(w, variants, p);
  for (int i = 0; i < p.rounds; ++i) t.play_round(r);
  t.count_samples(r);
  return r;
}

quartiles quartiles_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto at = [&](double part) {
    const double place = part * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return std::lerp(values[below], values[above], place - static_cast<double>(below));
  };
  return {.lower = at(0.25), .median = at(0.5), .upper = at(0.75)};
}

quartiles ratio(std::vector<double> const& numerator, std::vector<double> const& denominator) {
  return quartiles_of(each(numerator, denominator, [](double a, double b) { return a / b; }));
}

quartiles difference(std::vector<double> const& from, std::vector<double> const& less) {
  return quartiles_of(each(from, less, [](double a, double b) { return a - b; }));
}

}  // namespace pairs
