// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/analysis.hpp"
#include "tools/amount.hpp"
#include "tools/commands.hpp"
#include "tools/json_report.hpp"
#include "tools/measure_option.hpp"
#include "tools/names.hpp"
#include "tools/output_file.hpp"
#include "tools/report_head.hpp"
#include "tools/selection_options.hpp"
#include "tools/suppressions.hpp"
#include "tools/text_report.hpp"
#include "tools/trace_input.hpp"
#include "tools/usage_error.hpp"

namespace memprof::tools {
namespace {

constexpr int over = 3;
/// How often a comparison with a baseline may find growth where nothing changed.
constexpr double false_alarms = 1e-3;

struct check_options {
  std::string file, baseline, suppressions;
  std::string most_allocated, most_at_peak, most_at_end, weight = "in-use", growth;
  bool json = false;
  selection_options chosen;
  reading_options reading;
  output_options output;
};

/// One limit, and what was found.
struct limit_check {
  char const* name;
  char const* what;
  double limit;
  analysis::estimated found;
  /// The whole interval is above: with a chance of 97.5 % or more the truth is, too.
  [[nodiscard]] bool exceeded() const noexcept { return found.lower > limit; }
};

struct findings {
  std::vector<limit_check> limits;
  std::vector<analysis::difference_row> grown;
  std::vector<suppression> suppressions;
  analysis::estimated suppressed;
  [[nodiscard]] bool good() const noexcept {
    return grown.empty() &&
           std::ranges::none_of(limits, [](limit_check const& l) { return l.exceeded(); });
  }
};

analysis::usage read(std::string const& file, check_options const& o, analysis::selection chosen,
                     std::shared_ptr<symbolize::resolver> const& names) {
  trace_input input(file, o.reading);
  return analysis::read_usage(input.source(), {.chosen = std::move(chosen),
                                               .names = names,
                                               .lives = true,
                                               .hide_allocation_functions = true});
}

void check_limits(check_options const& o, analysis::usage const& u, analysis::sample_errors& errors,
                  findings& to) {
  const auto check = [&](char const* name, char const* what, std::string const& text,
                         analysis::measure m) {
    if (text.empty()) return;
    const auto limit = static_cast<double>(parse_amount(name, text).count());
    const std::uint64_t samples = amount_of(u.total, m).samples;
    to.limits.push_back({name, what, limit, errors.estimate(samples, u.moment_of(m))});
  };
  using analysis::measure;
  check("max-allocated", "allocated", o.most_allocated, measure::allocated);
  check("max-peak", "peak", o.most_at_peak, measure::peak);
  check("max-live-at-end", "in use at the end", o.most_at_end, measure::in_use);
}

/// The functions, and all together, that have more than before, and not by chance.
void compare_with(analysis::usage const& before, analysis::usage const& after,
                  check_options const& o, findings& to) {
  analysis::difference_options how;
  how.value = measure_of(o.weight);
  const analysis::difference d = analysis::compare(before, after, how);
  const double least =
      o.growth.empty() ? 0 : static_cast<double>(parse_amount("growth", o.growth).count());
  const double chance = false_alarms / static_cast<double>(d.rows.size() + 1);  // Bonferroni
  const auto judge = [&](analysis::difference_row const& r) {
    // 1.96 standard errors less: the lower end of the interval.
    if (r.chance < chance && r.change() - 1.96 * r.error > least) to.grown.push_back(r);
  };
  judge(d.total);
  if (!to.grown.empty()) to.grown.front().name = "(all)";
  for (analysis::difference_row const& r : d.rows) judge(r);
}

std::string text_of(findings const& f, check_options const& o) {
  using analysis::bytes_text;
  std::string text;
  for (limit_check const& l : f.limits) {
    text += fmt::format("{}: {} {}, allowed {}\n", l.exceeded() ? "OVER" : "ok  ", l.what,
                        interval_text(l.found), bytes_text(l.limit));
  }
  for (analysis::difference_row const& r : f.grown) {
    text += fmt::format("GREW: {}: {} to {}, {} +- {}\n", printable(r.name), bytes_text(r.before),
                        bytes_text(r.after), analysis::signed_bytes_text(r.change()),
                        bytes_text(1.96 * r.error));
  }
  if (!o.baseline.empty() && f.grown.empty()) {
    text += fmt::format("ok  : no function has surely more than in {}\n", printable(o.baseline));
  }
  if (!f.suppressions.empty()) {
    text += fmt::format("suppressed: {} in use at the end, by {}\n", interval_text(f.suppressed),
                        analysis::count_text(f.suppressions.size(), "pattern"));
  }
  return text;
}

std::string json_of(findings const& f, check_options const& o) {
  nlohmann::ordered_json j = json_report("check");
  j["passed"] = f.good();
  j["confidence"] = 0.95;
  auto& limits = j["limits"] = nlohmann::ordered_json::array();
  for (limit_check const& l : f.limits) {
    limits.push_back({{"limit", l.name},
                      {"allowed", json_number(l.limit)},
                      {"bytes", json_number(l.found.value)},
                      {"lower", json_number(l.found.lower)},
                      {"upper", json_number(l.found.upper)},
                      {"exceeded", l.exceeded()}});
  }
  if (!o.baseline.empty()) {
    auto& grown = j["grown"] = nlohmann::ordered_json::array();
    for (analysis::difference_row const& r : f.grown) {
      grown.push_back({{"name", r.name},
                       {"before", json_number(r.before)},
                       {"after", json_number(r.after)},
                       {"standard_error", json_number(r.error)},
                       {"chance", r.chance}});
    }
  }
  auto& suppressed = j["suppressions"] = nlohmann::ordered_json::array();
  for (suppression const& s : f.suppressions) {
    suppressed.push_back({{"pattern", s.pattern.text()}, {"reason", s.reason}});
  }
  return json_text(j);
}

int run_check(check_options const& o) {
  if (o.baseline.empty() && o.most_allocated.empty() && o.most_at_peak.empty() &&
      o.most_at_end.empty()) {
    throw usage_error(
        "nothing to check: give --max-live-at-end, --max-peak, --max-allocated or "
        "--baseline");
  }
  if (o.baseline.empty() && !o.growth.empty()) throw usage_error("--growth: needs --baseline");
  findings f;
  if (!o.suppressions.empty()) f.suppressions = read_suppressions(o.suppressions);
  const analysis::selection chosen = o.chosen.selection();
  analysis::selection judged = chosen;
  for (suppression const& s : f.suppressions) judged.not_inside.push_back(s.pattern);
  output_file out(o.output, {o.file, o.baseline});
  const auto names = make_resolver(o.reading);
  const analysis::usage u = read(o.file, o, judged, names);
  analysis::sample_errors errors(u.info);
  check_limits(o, u, errors, f);
  if (!o.baseline.empty()) compare_with(read(o.baseline, o, judged, names), u, o, f);
  if (!f.suppressions.empty()) {
    const analysis::usage all = read(o.file, o, chosen, names);
    f.suppressed = errors.estimate(all.total.in_use.samples - u.total.in_use.samples);
  }
  out.write(o.json ? json_of(f, o) : text_of(f, o));
  out.commit();
  say_notices(names.get(), o.reading);
  return f.good() ? 0 : over;
}

}  // namespace

command add_check_command(CLI::App& app) {
  const auto options = std::make_shared<check_options>();
  check_options& o = *options;
  CLI::App* const sub =
      app.add_subcommand("check", "Exit status 3 if memory is surely over a limit, or has grown");
  sub->footer(
      "Examples:\n  memprof check --max-live-at-end 1MiB a.ctf\n"
      "  memprof check --baseline old.ctf --growth 100KiB new.ctf\n"
      "  memprof check --max-peak 64MiB --suppressions known.txt a.ctf\n"
      "For tests, so the chance of the samples must not fail them: a limit is exceeded if the "
      "whole\n"
      "95 % interval is above it; with --baseline, one comparison in 1000 of two traces of the\n"
      "same thing says that anything has grown. Needs samples: see `memprof record --rate`.");
  add_trace_argument(*sub, o.file);
  add_output_options(*sub, o.output);
  const auto size = [&](char const* name, std::string& value, char const* what) {
    sub->add_option(name, value, what)->type_name("SIZE");
  };
  size("--max-live-at-end", o.most_at_end, "In use when the trace ends, at most: 1MiB");
  size("--max-peak", o.most_at_peak, "In use at the peak, at most");
  size("--max-allocated", o.most_allocated, "Allocated in all, at most");
  sub->add_option("--baseline", o.baseline,
                  "An earlier trace: no function may have surely more than in it")
      ->type_name("FILE");
  add_measure_option(*sub, "--weight", o.weight);
  size("--growth", o.growth, "With --baseline: what a function may have grown by (default 0)");
  sub->add_option("--suppressions", o.suppressions,
                  "Leave out what is allocated under functions that this file names: lines "
                  "PATTERN  # reason")
      ->type_name("FILE");
  sub->add_flag("--json", o.json, "Exact numbers, as JSON");
  o.chosen.add(*sub);
  add_symbol_options(*sub, o.reading);
  add_reading_options(*sub, o.reading);
  return {sub, [options] { return run_check(*options); }};
}

}  // namespace memprof::tools
