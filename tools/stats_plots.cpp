// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "export/export.hpp"
#include "tools/stats_report.hpp"

namespace memprof::tools {
namespace {

using exports::axis;
using exports::curve;
using exports::curve_kind;
using exports::plot;
using exports::quantity;
using exports::svg_of;

using plot_file = std::pair<std::string, std::string>;

/// Member by member: for an aggregate made at once, g++ 12 warns that the clean-up after an
/// exception reads uninitialised members.
plot_file drawn(std::string file, std::string title, std::string subtitle, axis x, axis y,
                std::vector<curve> curves) {
  plot p;
  p.title = std::move(title);
  p.subtitle = std::move(subtitle);
  p.x = std::move(x);
  p.y = std::move(y);
  p.curves = std::move(curves);
  return {std::move(file), svg_of(p)};
}

const axis elapsed{"time since the start of the trace", quantity::time};

std::string subtitle_of(stats_subject const& s, std::string const& note) {
  return printable(s.name) + (s.under.empty() ? "" : ", blocks under " + printable(s.under)) +
         (note.empty() ? "" : "; " + note);
}

plot_file live_plot(stats_subject const& s) {
  auto const& series = s.numbers.series;
  curve live{"in use, with its 95 % interval", curve_kind::line, {}, true};
  live.points.push_back({0, 0, 0, 0, 0});
  const auto end = static_cast<double>(s.numbers.stacks.duration.count());
  double at = 0;
  for (auto const& step : series.steps) {
    at = std::min(end, at + static_cast<double>(series.step.count()));
    const auto e = analysis::estimated_bytes(s.info, step.live);
    live.points.push_back({at, e.value, e.lower, e.upper, 0});
  }
  return drawn("live.svg", "Memory in use",
               subtitle_of(s, fmt::format("peak {} at {}",
                                          analysis::bytes_text(s.info.bytes_of(static_cast<double>(
                                              s.numbers.stacks.total.at_peak.samples))),
                                          analysis::duration_text(s.numbers.stacks.peak_time))),
               elapsed, {"estimated bytes in use", quantity::bytes}, {live});
}

/// About 64 steps, so that each has enough samples for a rate.
plot_file rate_plot(stats_subject const& s) {
  auto const& series = s.numbers.series;
  curve allocated{"allocated, with its 95 % interval", curve_kind::steps, {}, true};
  curve promoted{"promoted", curve_kind::steps, {}, false};
  curve freed{"freed", curve_kind::steps, {}, false};
  const std::size_t each = std::max<std::size_t>(1, series.steps.size() / 64);
  const double step = static_cast<double>(series.step.count());
  const auto end = static_cast<double>(s.numbers.stacks.duration.count());
  for (std::size_t i = 0, last = 0; i < series.steps.size(); i = last) {
    analysis::series_step sum;
    last = std::min(series.steps.size(), i + each);
    // The rest at the end is too short for a rate of its own.
    if (end - static_cast<double>(last) * step < static_cast<double>(each) * step / 2) {
      last = series.steps.size();
    }
    for (std::size_t k = i; k < last; ++k) {
      sum.allocated += series.steps[k].allocated;
      sum.promoted += series.steps[k].promoted;
      sum.freed += series.steps[k].freed;
    }
    const double from = static_cast<double>(i) * step;
    const double to = std::max(from + 1, std::min(end, static_cast<double>(last) * step));
    const double seconds = (to - from) / 1e6;
    const auto e = analysis::estimated_bytes(s.info, sum.allocated);
    allocated.points.push_back({from, e.value / seconds, e.lower / seconds, e.upper / seconds, 0});
    const auto rate = [&](std::uint64_t n) {
      return s.info.bytes_of(static_cast<double>(n)) / seconds;
    };
    promoted.points.push_back({from, rate(sum.promoted), 0, 0, 0});
    freed.points.push_back({from, rate(sum.freed), 0, 0, 0});
    if (last == series.steps.size()) {  // where the last step ends
      for (curve* c : {&allocated, &promoted, &freed}) {
        c->points.push_back(c->points.back());
        c->points.back().x = to;
      }
    }
  }
  return drawn("rates.svg", "Allocation, promotion and freeing", subtitle_of(s, ""), elapsed,
               {"estimated bytes per second", quantity::bytes_per_second},
               {allocated, promoted, freed});
}

/// The bins of `h` as bars of bytes, `scale` times their edges wide.
curve log_bars(trace::info const& info, analysis::log_histogram const& h, std::string label,
               double scale) {
  curve bars{std::move(label), curve_kind::bars, {}, false};
  for (auto const& b : h.bins()) {
    if (b.weight <= 0) continue;
    const double error = 1.96 * std::sqrt(b.squared_weight);
    bars.points.push_back({std::max(0.5, static_cast<double>(b.lower)) * scale,
                           info.bytes_of(b.weight), info.bytes_of(std::max(0.0, b.weight - error)),
                           info.bytes_of(b.weight + error), static_cast<double>(b.upper) * scale});
  }
  return bars;
}

plot_file sizes_plot(stats_subject const& s) {
  return drawn("sizes.svg", "Bytes allocated, by the size of the block",
               subtitle_of(s, "bars: eight to a doubling; whiskers: 95 %"),
               {"size of the block, header not counted", quantity::bytes, true},
               {"estimated bytes allocated", quantity::bytes},
               {log_bars(s.info, s.numbers.sizes, "", s.info.word_bytes())});
}

plot_file lifetimes_plot(stats_subject const& s) {
  return drawn("lifetimes.svg", "Bytes allocated, by how long they lived",
               subtitle_of(s, "bars: eight to a doubling; whiskers: 95 %"),
               {"lifetime; of what is in use at the end, its age", quantity::time, true},
               {"estimated bytes allocated", quantity::bytes},
               {log_bars(s.info, s.numbers.lifetimes.deaths(), "freed", 1),
                log_bars(s.info, s.numbers.lifetimes.survivors(), "in use at the end", 1)});
}

plot_file survival_plot(stats_subject const& s) {
  curve alive{"still in use (Kaplan-Meier), with its 95 % interval", curve_kind::steps, {}, true};
  for (auto const& p : s.numbers.lifetimes.curve()) {
    alive.points.push_back(
        {std::max(1.0, static_cast<double>(p.age)), p.share, p.lower, p.upper, 0});
  }
  return drawn("survival.svg", "Share of the memory that lives at least so long",
               subtitle_of(s, ""), {"age", quantity::time, true},
               {"share of what was allocated", quantity::share}, {alive});
}

plot_file scatter_plot(stats_subject const& s) {
  curve freed{"freed", curve_kind::points, {}, false};
  curve alive{"in use at the end", curve_kind::points, {}, false};
  for (auto const& p : s.numbers.points) {
    (p.died ? freed : alive)
        .points.push_back({static_cast<double>(p.born.count()),
                           static_cast<double>(p.lifetime.count()), 0, 0, 0});
  }
  const std::size_t shown = s.numbers.points.size();
  return drawn("scatter.svg", "Lifetime of each block against the time of its allocation",
               subtitle_of(s, fmt::format("{} of {} sampled blocks",
                                          analysis::count_text(static_cast<double>(shown)),
                                          analysis::count_text(static_cast<double>(
                                              s.numbers.stacks.total.allocated.blocks)))),
               elapsed, {"lifetime", quantity::time}, {freed, alive});
}

plot_file notebook_plot(stats_subject const& s, std::string const& file, std::string const& title,
                        axis x, std::vector<std::uint64_t> const& bins, double low, double high) {
  curve bars{"", curve_kind::bars, {}, false};
  const auto n = static_cast<double>(bins.size());
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const auto at = static_cast<double>(i);
    bars.points.push_back({low + (high - low) * at / n, static_cast<double>(bins[i]), 0, 0,
                           low + (high - low) * (at + 1) / n});
  }
  return drawn(file, title, subtitle_of(s, "as ocaml-alloc-stats: each sampled block once"),
               std::move(x), {"sampled blocks", quantity::number}, {bars});
}

void add_notebook_plots(stats_subject const& s, std::vector<plot_file>& to) {
  analysis::alloc_stats const& a = s.numbers.notebook;
  if (a.allocations == 0) return;
  const axis words{"size in words", quantity::number};
  const std::string title = "Major allocations by size, ";
  to.push_back(notebook_plot(s, "sizes-0-32.svg", title + "0 to 32 words", words, a.small, 0, 32));
  to.push_back(
      notebook_plot(s, "sizes-32-256.svg", title + "32 to 256 words", words, a.medium, 32, 256));
  to.push_back(notebook_plot(s, "sizes-256-10000.svg", title + "256 to 10 000 words", words,
                             a.large, 256, 10'000));
  if (a.over_10000_by_100) {
    const auto first = static_cast<double>(a.count_by_size.upper_bound(10'000)->first);
    to.push_back(notebook_plot(s, "sizes-over-10000.svg", title + "more than 10 000 words", words,
                               *a.over_10000_by_100, first,
                               static_cast<double>(a.count_by_size.rbegin()->first)));
  }
  const axis ticks{"lifetime in ticks, one for each event of the major heap", quantity::number};
  to.push_back(notebook_plot(s, "lifetime-ticks-0-32.svg", "Lifetimes of up to 32 ticks", ticks,
                             a.ticks.by_32, 0, 32));
  to.push_back(notebook_plot(s, "lifetime-ticks.svg", "Lifetimes in ticks", ticks, a.ticks.by_100,
                             static_cast<double>(a.ticks.min), static_cast<double>(a.ticks.max)));
  to.push_back(notebook_plot(s, "lifetime-time.svg", "Lifetimes in the major heap",
                             {"lifetime", quantity::time}, a.time.by_100,
                             static_cast<double>(a.time.min), static_cast<double>(a.time.max)));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> stats_plots(stats_subject const& s) {
  std::vector<plot_file> all{live_plot(s),      rate_plot(s),     sizes_plot(s),
                             lifetimes_plot(s), survival_plot(s), scatter_plot(s)};
  add_notebook_plots(s, all);
  return all;
}

}  // namespace memprof::tools
