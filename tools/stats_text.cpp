// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <fmt/ranges.h>

#include "tools/report_head.hpp"
#include "tools/stats_report.hpp"

namespace memprof::tools {
namespace {

using analysis::bytes_text;
using analysis::duration_text;
using analysis::percent_text;

std::string us_text(double us) {
  return duration_text(std::chrono::microseconds{std::llround(std::min(us, 0x1p62))});
}

/// "12.3 MiB  (11.9 MiB to 12.7 MiB)"
std::string estimate_text(trace::info const& info, std::uint64_t samples,
                          analysis::moment m = analysis::moment::given) {
  const auto e = analysis::estimated_bytes(info, samples, m);
  return fmt::format("{}  ({} to {})", bytes_text(e.value), bytes_text(e.lower),
                     bytes_text(e.upper));
}

/// "12.3 MiB +-4 %"
std::string with_error(trace::info const& info, std::uint64_t samples) {
  const auto e = analysis::estimated_bytes(info, samples);
  if (samples == 0) return bytes_text(e.value);
  return bytes_text(e.value) + " " + error_text(e);
}

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  const auto e = analysis::estimated_share(part, whole);
  return fmt::format("{}  ({} to {})", percent_text(e.value, 1), percent_text(e.lower, 1),
                     percent_text(e.upper, 1));
}

/// `text` made of `args`, behind its label.
template <class... Args>
std::string line(std::string_view label, fmt::format_string<Args...> text, Args&&... args) {
  return fmt::format("{:<19} {}\n", label, fmt::format(text, std::forward<Args>(args)...));
}

std::string count_text(auto n) { return analysis::count_text(static_cast<double>(n)); }

std::string totals(stats_subject const& s) {
  analysis::usage const& p = s.numbers.stacks;
  std::string r;
  r += line("allocated", "{}, {} samples of {} blocks",
            estimate_text(s.info, p.total.allocated.samples), count_text(p.total.allocated.samples),
            count_text(p.total.allocated.blocks));
  const double seconds = static_cast<double>(p.duration.count()) / 1e6;
  if (seconds > 0) {
    r += line("rate", "{}/s over {}",
              bytes_text(s.info.bytes_of(static_cast<double>(p.total.allocated.samples)) / seconds),
              duration_text(p.duration));
  }
  const std::string most = bytes_text(analysis::estimated_bytes(s.info, p.most).upper);
  // Of few samples it may be that none was there at the moment that the others chose.
  const bool unseen = p.total.at_peak.samples == 0 && p.total.allocated.samples != 0;
  r += unseen ? line("peak", "at most {}", most)
              : line("peak", "{} at {}, never over {}",
                     estimate_text(s.info, p.total.at_peak.samples, analysis::moment::picked),
                     duration_text(p.peak_time), most);
  r += line("in use at the end", "{}", estimate_text(s.info, p.total.in_use.samples));
  r += line("promoted", "{} of what was minor", share_text(s.numbers.promoted, s.numbers.minor));
  const auto share = [&](std::uint64_t part) {
    return percent_text(static_cast<double>(part), static_cast<double>(p.total.allocated.samples));
  };
  r += line("born", "{} minor, {} major, {} external", share(s.numbers.minor),
            share(s.numbers.major), share(s.numbers.external));
  return r;
}

std::string series(stats_subject const& s, colours const& c) {
  analysis::time_series const& series = s.numbers.series;
  if (series.steps.empty()) return {};
  text_table t({{"until", align::right},
                {"allocated", align::right},
                {"per second", align::right},
                {"promoted", align::right},
                {"freed", align::right},
                {"in use then", align::right}});
  constexpr std::size_t rows = 10;
  const std::size_t n = series.steps.size();
  const std::size_t each = (n + rows - 1) / rows;
  const auto bytes = [&](std::uint64_t samples) {
    return bytes_text(s.info.bytes_of(static_cast<double>(samples)));
  };
  for (std::size_t i = 0; i < n; i += each) {
    analysis::series_step sum;
    const std::size_t end = std::min(n, i + each);
    for (std::size_t k = i; k < end; ++k) {
      sum.allocated += series.steps[k].allocated;
      sum.promoted += series.steps[k].promoted;
      sum.freed += series.steps[k].freed;
    }
    const auto until =
        std::min(s.numbers.stacks.duration, series.step * static_cast<std::int64_t>(end));
    const double seconds =
        static_cast<double>((until - series.step * static_cast<std::int64_t>(i)).count()) / 1e6;
    t.add({duration_text(until), with_error(s.info, sum.allocated),
           seconds > 0
               ? bytes_text(s.info.bytes_of(static_cast<double>(sum.allocated)) / seconds) + "/s"
               : "-",
           bytes(sum.promoted), bytes(sum.freed), with_error(s.info, series.steps[end - 1].live)});
  }
  return c.bold("Over time") + "\n" + t.text(c) + "\n";
}

std::string sizes(stats_subject const& s, colours const& c) {
  text_table t({{"size", align::right},
                {"allocated", align::right},
                {"share", align::right},
                {"blocks", align::right}});
  std::array<double, 5> samples{}, blocks{};
  for (analysis::usage_row const& r : s.numbers.stacks.rows) {
    auto const& limits = analysis::size_class_limits;
    const auto i = static_cast<std::size_t>(
        std::lower_bound(limits.begin(), limits.end(), r.length) - limits.begin());
    samples[i] += static_cast<double>(r.sums.allocated.samples);
    blocks[i] += r.sums.allocated.objects;
  }
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const bool last = i == analysis::size_class_limits.size();
    const auto limit = analysis::size_class_limits[last ? i - 1 : i];
    t.add({last ? "more" : fmt::format("up to {} w", count_text(limit)),
           with_error(s.info, static_cast<std::uint64_t>(samples[i])),
           percent_text(samples[i], static_cast<double>(s.numbers.stacks.total.allocated.samples)),
           "~" + count_text(blocks[i])});
  }
  return c.bold("Sizes of blocks, weighted by what they allocate") + "\n" + t.text(c) + "\n";
}

std::string lifetimes(stats_subject const& s, colours const& c) {
  auto const& l = s.numbers.lifetimes;
  std::string r = c.bold("Lifetimes, weighted by samples") + "\n";
  if (l.deaths().count() > 0) {
    r += line("mean of the freed", "{}, half below {}, 90 % below {}",
              us_text(l.mean_age_at_death()), us_text(l.deaths().quantile(0.5)),
              us_text(l.deaths().quantile(0.9)));
  }
  const auto curve = l.curve();
  text_table t({{"lives at least", align::right}, {"share", align::right}, {"", align::left}});
  std::uint64_t next = 1;
  for (std::size_t i = 0; i + 1 < curve.size(); ++i) {
    // The last point at or before each power of ten.
    while (next < curve[i + 1].age) {
      if (curve[i].age <= next && next >= curve[1].age / 10) {
        t.add({us_text(static_cast<double>(next)), percent_text(curve[i].share, 1),
               fmt::format("({} to {})", percent_text(curve[i].lower, 1),
                           percent_text(curve[i].upper, 1))});
      }
      if (next > ~std::uint64_t{0} / 10) return r + t.text(c) + "\n";
      next *= 10;
    }
  }
  return r + t.text(c) + "\n";
}

std::string sites(stats_subject const& s, colours const& c, page const& fits) {
  text_table t({{"allocated", align::right},
                {"share", align::right, 2},
                {"in use at end", align::right},
                {"promoted", align::right, 3},
                {"mean life", align::right, 1},
                {"<=4w", align::right, 4},
                {"<=16w", align::right, 4},
                {"<=256w", align::right, 4},
                {"more", align::right, 4},
                {s.by == analysis::site_kind::site ? "site" : "function", align::left}});
  for (std::size_t i = 0; i < s.sites.size() && i < s.top; ++i) {
    analysis::site_row const& r = s.sites[i];
    const auto whole = static_cast<double>(r.samples);
    const auto part = [&](std::uint64_t n) {
      return n == 0 ? "-" : fmt::format("{:.0f} %", 100 * static_cast<double>(n) / whole);
    };
    t.add_named({with_error(s.info, r.samples),
                 percent_text(whole, static_cast<double>(s.numbers.stacks.total.allocated.samples)),
                 bytes_text(s.info.bytes_of(static_cast<double>(r.live_samples))), part(r.promoted),
                 r.died > 0 ? us_text(r.died_lifetime / static_cast<double>(r.died)) : "-",
                 part(r.by_size_class[0]), part(r.by_size_class[1]), part(r.by_size_class[2]),
                 part(r.by_size_class[3] + r.by_size_class[4])},
                {}, r.function + (r.position.empty() ? "" : "  " + r.position));
  }
  std::string text =
      c.bold(fmt::format(
          "Top of {} {}", count_text(s.sites.size()),
          s.by == analysis::site_kind::site ? "allocation sites" : "allocating functions")) +
      "\n" + t.text(c, fits);
  return text + "\n";
}

std::string notebook(stats_subject const& s, colours const& c) {
  analysis::alloc_stats const& a = s.numbers.notebook;
  std::string r =
      c.bold("Major heap, each sampled block once (as ocaml-alloc-stats counts)") + "\n";
  r += line("allocations", "{} in {} events", count_text(a.allocations), count_text(a.events));
  if (a.allocations == 0) return r;
  r += line("over 256 words", "{}, {:.4f} %", count_text(a.over_256),
            100 * static_cast<double>(a.over_256) / static_cast<double>(a.allocations));
  r += line("size in words", "mean {:.3f}, standard deviation {:.3f}, largest {}", a.moments.mean,
            a.moments.standard_deviation, count_text(a.moments.max));
  std::vector<std::string> halves;
  for (auto const& h : a.halves) {
    halves.push_back(
        fmt::format("mean {:.3f}, standard deviation {:.3f}", h.mean, h.standard_deviation));
  }
  r += line("by halves", "{}", fmt::join(halves, "; then "));
  r += line("deviation by tenths", "{:.1f}", fmt::join(a.sd_of_tenths, " "));
  r += line("large by tenths", "{}", fmt::join(a.over_256_of_tenths, " "));
  r += line("lifetime, ticks", "mean {:.1f}, longest {}, survivors {}", a.ticks.mean,
            count_text(a.ticks.max), count_text(a.ticks.survivors));
  r += line("lifetime, time", "mean {}, longest {}", us_text(a.time.mean),
            us_text(static_cast<double>(a.time.max)));
  return r;
}

}  // namespace

std::string stats_text(stats_subject const& s, colours const& c, page const& fits) {
  std::string r = c.bold(printable(s.name)) + ": " + printable(s.program) +
                  (s.under.empty() ? "" : ", blocks allocated under " + printable(s.under)) + "\n";
  r += wrapped(totals(s), fits) + "\n";
  if (s.numbers.stacks.total.allocated.blocks == 0) return r;
  return r + series(s, c) + sizes(s, c) + lifetimes(s, c) + sites(s, c, fits) +
         wrapped(notebook(s, c), fits) + "\nIntervals hold the truth with 95 %.\n";
}

}  // namespace memprof::tools
