// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>

#include "analysis/analysis.hpp"
#include "tools/commands.hpp"
#include "tools/grouping_option.hpp"
#include "tools/json_report.hpp"
#include "tools/names.hpp"
#include "tools/output_file.hpp"
#include "tools/report_head.hpp"
#include "tools/report_options.hpp"
#include "tools/rows_option.hpp"
#include "tools/text_report.hpp"
#include "tools/trace_input.hpp"
#include "tools/usage_error.hpp"

namespace memprof::tools {
namespace {

struct top_options : report_options {
  std::string file;
  std::string sort = "self";
  std::string by = "function";
  rows_option rows;
  bool classic = false;
  bool hide_wrappers = false;
};

using analysis::function_row;

/// The amount that --sort names.
std::uint64_t key_of(function_row const& r, std::string const& sort) {
  if (sort == "total") return r.total.allocated.samples;
  if (sort == "in-use") return r.self.in_use.samples;
  if (sort == "peak") return r.self.at_peak.samples;
  return r.self.allocated.samples;
}

/// "91 % is allocated by functions that only pass it on (xmalloc, xcalloc, ...)": a line, or
/// nothing.
std::string wrappers_text(analysis::wrappers const& w, top_options const& o) {
  if (w.functions.empty()) return {};
  constexpr std::size_t named = 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(named, w.functions.size()); ++i) {
    names += (i > 0 ? ", " : "") + printable(w.functions[i]);
  }
  if (w.functions.size() > named) names += fmt::format(" and {} more", w.functions.size() - named);
  return fmt::format(
      "{} is allocated by functions that only pass it on ({}){}\n",
      analysis::percent_text(w.share, 1), names,
      o.hide_wrappers ? ": they are left out" : "; --hide-wrappers shows their callers");
}

void print(analysis::usage const& u, std::vector<function_row> const& rows, std::size_t shown,
           analysis::wrappers const& w, top_options const& o, output_file& out) {
  const colours c(o.colour, !out.is_standard_output());
  analysis::sample_errors errors(u.info);
  out.write(report_head(u, errors, page_of(o.naming, !out.is_standard_output())));
  text_table table({{"self", align::right},
                    {"error", align::right},
                    {"share", align::right, 1},
                    {"total", align::right},
                    {"error", align::right, 4},
                    {"share", align::right, 3},
                    {o.sort == "peak" ? "at peak" : "in use", align::right},
                    {"error", align::right, 2},
                    {"samples", align::right, 5},
                    {o.by, align::left}});
  const auto whole = static_cast<double>(u.total.allocated.samples);
  using analysis::measure;
  const measure of_held = o.sort == "peak" ? measure::peak : measure::in_use;
  for (std::size_t i = 0; i < shown; ++i) {
    function_row const& r = rows[i];
    const auto m = u.moment_of(measure::allocated);
    const auto self = errors.estimate(r.self.allocated.samples, m);
    const auto total = errors.estimate(r.total.allocated.samples, m);
    const auto held = errors.estimate(amount_of(r.self, of_held).samples, u.moment_of(of_held));
    table.add_named({analysis::bytes_text(self.value), error_text(self),
                     analysis::percent_text(static_cast<double>(r.self.allocated.samples), whole),
                     analysis::bytes_text(total.value), error_text(total),
                     analysis::percent_text(static_cast<double>(r.total.allocated.samples), whole),
                     analysis::bytes_text(held.value), error_text(held),
                     analysis::count_text(static_cast<double>(r.self.allocated.samples))},
                    {}, r.name);
  }
  out.write(table.text(c, page_of(o.naming, !out.is_standard_output())));
  out.write(o.rows.left_out(rows.size()));
  out.write(wrapped(wrappers_text(w, o), page_of(o.naming, !out.is_standard_output())));
}

nlohmann::ordered_json json_amounts(analysis::usage const& u, analysis::amounts const& all,
                                    analysis::sample_errors& errors) {
  const auto one = [&](analysis::measure which) -> nlohmann::ordered_json {
    analysis::amount const& a = amount_of(all, which);
    const auto e = errors.estimate(a.samples, u.moment_of(which));
    const auto objects = analysis::objects_estimate(u.info, a, u.moment_of(which));
    return {{"bytes", json_number(e.value)},
            {"lower", json_number(e.lower)},
            {"upper", json_number(e.upper)},
            {"samples", a.samples},
            {"sampled_blocks", a.blocks},
            {"objects", json_number(objects.value)},
            {"objects_lower", json_number(objects.lower)},
            {"objects_upper", json_number(objects.upper)}};
  };
  using analysis::measure;
  return {{"allocated", one(measure::allocated)},
          {"in_use_at_end", one(measure::in_use)},
          {"at_peak", one(measure::peak)}};
}

nlohmann::ordered_json json_interrupts(std::vector<trace::interrupt> const& all) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (trace::interrupt const& i : all) {
    list.push_back({{"time_us", i.time.count()},
                    {"limit", to_string(i.kind)},
                    {"allowed", i.allowed},
                    {"measured", i.measured},
                    {"deferrals", i.deferrals},
                    {"thread", i.thread}});
  }
  return list;
}

std::string json_of(analysis::usage const& u, std::vector<function_row> const& rows,
                    std::size_t shown, analysis::wrappers const& w, top_options const& o) {
  analysis::sample_errors errors(u.info);
  nlohmann::ordered_json j = json_report("top");
  j["executable"] = u.info.executable_name;
  j["program"] = analysis::program_name(u.info, u.notes);
  j["pid"] = u.info.pid;
  j["sample_rate"] = u.info.sample_rate;
  j["confidence"] = 0.95;
  j["events"] = u.events;
  j["duration_us"] = u.duration.count();
  j["peak_time_us"] = u.peak_time.count();
  if (!u.picked) {
    j["never_over"] = {{"bytes", json_number(errors.estimate(u.most).upper)}, {"samples", u.most}};
  }
  j["all"] = json_amounts(u, u.total, errors);
  j["interrupts"] = json_interrupts(u.interrupts);
  j["exit_began_us"] = u.exit_began ? nlohmann::ordered_json(u.exit_began->count())
                                    : nlohmann::ordered_json(nullptr);
  j["notes"] = json_notes(u.notes);
  j["wrappers"] = {
      {"functions", w.functions}, {"share", json_number(w.share)}, {"hidden", o.hide_wrappers}};
  j["by"] = o.by;
  j["sort"] = o.sort;
  auto& list = j["rows"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < shown; ++i) {
    list.push_back({{"name", rows[i].name},
                    {"self", json_amounts(u, rows[i].self, errors)},
                    {"total", json_amounts(u, rows[i].total, errors)}});
  }
  return json_text(j);
}

nlohmann::ordered_json json_of(analysis::hotspots const& h) {
  nlohmann::ordered_json j = json_report("hotspots");
  j["executable"] = h.info.executable_name;
  j["pid"] = h.info.pid;
  j["sample_rate"] = h.info.sample_rate;
  j["samples"] = h.samples;
  auto& list = j["functions"] = nlohmann::ordered_json::array();
  for (auto const& f : h.functions) {
    nlohmann::ordered_json one{{"function", f.function}, {"file", f.file}, {"samples", f.samples}};
    auto& positions = one["positions"] = nlohmann::ordered_json::array();
    for (auto const& p : f.positions) {
      positions.push_back({{"line", p.line},
                           {"start_char", p.start_char},
                           {"end_char", p.end_char},
                           {"samples", p.samples}});
    }
    auto& callers = one["callers"] = nlohmann::ordered_json::array();
    for (auto const& c : f.callers) {
      callers.push_back({{"function", c.function},
                         {"sampled_blocks", c.blocks},
                         {"samples_of_caller", c.of_caller}});
    }
    list.push_back(std::move(one));
  }
  return j;
}

int run_top(top_options const& o) {
  analysis::selection chosen = o.chosen.selection();
  if (o.classic && (!chosen.is_everything() || !chosen.hide.empty())) {
    throw usage_error("--classic: has no selection of blocks or frames");
  }
  trace_input input(o.file, o.reading);
  output_file out(o.output, {o.file});
  const auto names = make_resolver(o.reading);
  if (o.classic) {
    const analysis::hotspots h = analysis::find_hotspots(input.source(), names);
    out.write(o.json ? json_text(json_of(h)) : analysis::hotspots_text(h));
  } else {
    const auto read = [&](bool lives) {
      return analysis::read_usage(input.source(), {.chosen = chosen,
                                                   .names = names,
                                                   .lives = lives,
                                                   .hide_allocation_functions = !o.all_frames,
                                                   .by_thread = o.by == "thread"});
    };
    analysis::wrappers w;
    if (o.hide_wrappers) {
      input.source().several();
      w = analysis::find_wrappers(read(false));
      for (std::string const& f : w.functions) chosen.hide.emplace_back("=" + f);
    }
    const analysis::usage u = read(true);
    if (!o.hide_wrappers && !o.all_frames && o.by != "thread") w = analysis::find_wrappers(u);
    auto rows = analysis::function_table(u, grouping_of(o.by));
    std::erase_if(rows, [&](function_row const& r) {
      return o.sort == "total" ? r.total.allocated.blocks == 0 : key_of(r, o.sort) == 0;
    });
    std::sort(rows.begin(), rows.end(), [&](function_row const& a, function_row const& b) {
      const auto x = key_of(a, o.sort);
      const auto y = key_of(b, o.sort);
      if (x != y) return x > y;
      if (a.total.allocated.samples != b.total.allocated.samples) {
        return a.total.allocated.samples > b.total.allocated.samples;
      }
      return a.name < b.name;
    });
    const std::size_t shown = o.rows.shown(rows.size());
    if (o.json) {
      out.write(json_of(u, rows, shown, w, o));
    } else {
      print(u, rows, shown, w, o, out);
    }
  }
  out.commit();
  say_notices(names.get(), o.reading);
  return 0;
}

}  // namespace

command add_top_command(CLI::App& app) {
  const auto options = std::make_shared<top_options>();
  top_options& o = *options;
  CLI::App* const sub = app.add_subcommand("top", "Functions that allocate or hold most");
  sub->footer(
      "Examples:\n  memprof top a.ctf\n  memprof top --sort in-use --by site -n 10 a.ctf\n"
      "  memprof top --live-at-peak --function parse a.ctf\n"
      "  memprof top --by thread a.ctf\n"
      "Every amount is an estimate from samples; the error is the wider side of its 95 % "
      "interval.\n"
      "The peak: one half of the samples says when, the other how much (docs/statistical.md).");
  add_trace_argument(*sub, o.file);
  add_output_options(*sub, o.output);
  sub->add_option("-s,--sort", o.sort, "self, total (with all it calls), in-use (at the end), peak")
      ->type_name("WHAT")
      ->check(CLI::IsMember({"self", "total", "in-use", "peak"}));
  add_grouping_option(*sub, o.by);
  sub->add_flag_callback(
      "--lines", [&o] { o.by = "line"; }, "The same as --by line");
  o.rows.add(*sub);
  sub->add_flag("--classic", o.classic, "memtrace's `hotspots`: functions and significant callers");
  add_all_frames_option(*sub, o.all_frames);
  sub->add_flag("--hide-wrappers", o.hide_wrappers,
                "Leave out functions that only pass memory on, as xmalloc does: they allocate in "
                "one line for many callers");
  add_report_options(*sub, o);
  return {sub, [options] { return run_top(*options); }};
}

}  // namespace memprof::tools
