// SPDX-License-Identifier: MIT
#include "analysis/suspects.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <utility>

#include "analysis/amount_text.hpp"
#include "analysis/sample_error.hpp"
#include "analysis/site_lives.hpp"

namespace memprof::analysis {
namespace {

using std::chrono::microseconds;

constexpr std::uint64_t least_survivors = 20;
constexpr std::uint64_t least_in_queue = 30;

bool is_leak(site_lives const& l) {
  const std::uint64_t survivors = l.in_use.blocks;
  return survivors >= least_survivors && l.survivors_in[1] >= 5 && l.survivors_in[2] >= 5 &&
         4 * (l.survivors_in[1] + l.survivors_in[2]) >= survivors;
}

bool may_be_queue(site_lives const& l, microseconds duration) {
  const auto peak = static_cast<double>(l.peak_time) / static_cast<double>(duration.count());
  return l.objects.size() >= least_in_queue && 2 * l.in_use.samples <= l.peak.samples &&
         peak >= 0.05 && peak <= 0.95;
}

bool is_queue(lifetime_growth const& g, microseconds duration) {
  return g.blocks >= least_in_queue && g.rank_correlation > 0.5 && g.deviations > 5 &&
         g.late >= 3 * g.early && g.late >= 0.02 * static_cast<double>(duration.count());
}

bool is_cache(site_lives const& l) {
  return l.in_use.blocks >= least_survivors &&
         2 * (l.survivors_in[0] + l.survivors_in[1]) >= l.in_use.blocks &&
         5 * l.in_use.samples <= 6 * l.at_half.samples;
}

std::string time_text(std::int64_t us) { return duration_text(microseconds{us}); }

class judge {
 public:
  explicit judge(index_usage const& u) : u_(u), errors_(u.index->facts().info) {}

  [[nodiscard]] double lower_bytes(amount const& a) { return errors_.estimate(a.samples).lower; }

  suspect leak(site_lives const& l) {
    suspect s = begin(suspicion::leak, l, l.in_use);
    auto const& q = l.survivors_in;
    s.evidence.push_back(held_text("In use at the end", l.in_use));
    s.evidence.push_back(
        fmt::format("It was allocated all along: of these blocks {}, {}, {} and {} were born in "
                    "the four quarters of the trace.",
                    q[0], q[1], q[2], q[3]));
    const double half = static_cast<double>(u_.index->facts().duration.count()) / 2e6;
    s.evidence.push_back(fmt::format("In the middle half of the trace it grew by {} each second.",
                                     bytes_text(bytes(l.middle) / half)));
    s.evidence.push_back(fmt::format("{} of all that was allocated here is still there.",
                                     percent_text(bytes(l.in_use), bytes(l.allocated))));
    s.narrowed.push_back({"live-at-end", "1"});
    return finish(std::move(s), l, [](live_interval const& t) { return !t.ends; });
  }

  suspect queue(site_lives const& l, lifetime_growth const& g) {
    suspect s = begin(suspicion::queue, l, l.peak);
    s.evidence.push_back(
        held_text(fmt::format("At its peak, {} after the start", time_text(l.peak_time)), l.peak));
    s.evidence.push_back(fmt::format(
        "The later a block was born before that, the longer it lived: half of the first third "
        "lived for {} or less, half of the last third for {} or more (rank correlation {:.2f}, "
        "{} sampled blocks).",
        time_text(static_cast<std::int64_t>(g.early)), time_text(static_cast<std::int64_t>(g.late)),
        g.rank_correlation, count_text(static_cast<double>(g.blocks))));
    s.evidence.push_back(fmt::format("At the end {} of it {} left.", bytes_text(bytes(l.in_use)),
                                     l.in_use.blocks == 1 ? "is" : "are"));
    s.narrowed.push_back({"live-at", fmt::format("{}us", l.peak_time)});
    return finish(std::move(s), l, [&](live_interval const& t) {
      return t.from_event <= l.peak_event && t.to_event > l.peak_event;
    });
  }

  suspect cache(site_lives const& l) {
    suspect s = begin(suspicion::cache, l, l.in_use);
    auto const& q = l.survivors_in;
    s.evidence.push_back(held_text("In use at the end", l.in_use));
    s.evidence.push_back(
        fmt::format("{} of these {} blocks were born in the first half of the trace.", q[0] + q[1],
                    l.in_use.blocks));
    s.evidence.push_back(fmt::format("It does not grow: {} were in use in the middle of the trace.",
                                     bytes_text(bytes(l.at_half))));
    s.evidence.push_back(fmt::format("Last allocated {} after the start.", time_text(l.last_born)));
    s.narrowed.push_back({"live-at-end", "1"});
    return finish(std::move(s), l, [](live_interval const& t) { return !t.ends; });
  }

 private:
  [[nodiscard]] double bytes(amount const& a) const {
    return u_.index->facts().info.bytes_of(static_cast<double>(a.samples));
  }
  std::string held_text(std::string const& when, amount const& a) {
    const sample_estimate e = errors_.estimate(a.samples);
    return fmt::format("{}: {} ({} to {}), in {} sampled blocks.", when, bytes_text(e.value),
                       bytes_text(e.lower), bytes_text(e.upper),
                       count_text(static_cast<double>(a.blocks)));
  }

  suspect begin(suspicion what, site_lives const& l, amount const& held) {
    suspect s;
    s.what = what;
    s.function = l.function;
    s.site = l.site;
    s.held = held;
    s.score = lower_bytes(held);
    if (!l.function.empty()) s.narrowed.push_back({"function", "=" + l.function});
    return s;
  }

  /// The nearest caller in another module: a leak in a library is the fault of who calls it.
  template <class Counts>
  suspect finish(suspect s, site_lives const& l, Counts&& counts) {
    std::map<std::string, std::uint64_t> callers;
    std::uint64_t all = 0;
    for (const std::uint32_t i : l.objects) {
      if (!counts(live_interval_of(u_.index->objects(), i, u_.choice.chosen.heaps))) continue;
      const std::uint64_t n = u_.index->objects().samples[i];
      all += n;
      if (const auto name = caller_of(u_.index->objects().stack[i])) callers[*name] += n;
    }
    const auto most = std::max_element(callers.begin(), callers.end(),
                                       [](auto& a, auto& b) { return a.second < b.second; });
    if (most != callers.end()) {
      s.evidence.push_back(fmt::format(
          "{} of it by way of {}.",
          percent_text(static_cast<double>(most->second), static_cast<double>(all)), most->first));
    }
    return s;
  }

  [[nodiscard]] std::optional<std::string> caller_of(stack_tree::node_id stack) const {
    code_table const& codes = u_.choice.codes;
    std::optional<std::string> module;
    for (auto s = stack; s != stack_tree::root; s = u_.index->stacks()[s].parent) {
      const auto frames = codes.frames(u_.index->stacks()[s].code);
      for (auto f = frames.rbegin(); f != frames.rend(); ++f) {
        std::string const& name = codes.functions().text(f->function);
        const std::string of{module_of(name, codes.files().text(f->file))};
        if (!module) module = of;
        if (of != *module) return name;
      }
    }
    return std::nullopt;
  }

  index_usage const& u_;
  sample_errors errors_;
};

}  // namespace

suspects find_suspects(index_usage const& u, std::size_t each, std::size_t sparkline_points) {
  const microseconds duration{std::max<std::int64_t>(u.index->facts().duration.count(), 1)};
  std::vector<site_lives> sites = lives_of_sites(u, least_survivors);
  std::erase_if(sites, [&](site_lives const& l) {
    return 1000 * std::max(l.in_use.samples, l.peak.samples) < u.total.at_peak.samples;
  });
  judge j(u);
  suspects result;
  std::vector<std::pair<suspect, site_lives const*>> found;
  for (site_lives const& l : sites) {
    if (is_leak(l)) {
      found.emplace_back(j.leak(l), &l);
    } else if (may_be_queue(l, duration)) {
      const lifetime_growth g = growth_of(u, l);
      if (is_queue(g, duration)) found.emplace_back(j.queue(l, g), &l);
    } else if (is_cache(l)) {
      found.emplace_back(j.cache(l), &l);
    }
  }
  std::sort(found.begin(), found.end(), [](auto const& a, auto const& b) {
    return a.first.score != b.first.score ? a.first.score > b.first.score
                                          : a.first.site < b.first.site;
  });
  for (auto& [s, site] : found) {
    auto& list = s.what == suspicion::leak    ? result.leaks
                 : s.what == suspicion::queue ? result.queues
                                              : result.caches;
    if (list.size() == each) continue;
    series_builder live(duration, sparkline_points);
    for (const std::uint32_t i : site->objects) {
      const live_interval t = live_interval_of(u.index->objects(), i, u.choice.chosen.heaps);
      live.allocated(microseconds{t.from}, u.index->objects().samples[i]);
      if (t.ends) live.freed(microseconds{t.to}, u.index->objects().samples[i]);
    }
    s.live = live.finish();
    list.push_back(std::move(s));
  }
  return result;
}

}  // namespace memprof::analysis
