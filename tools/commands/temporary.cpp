// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <unordered_map>

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

namespace memprof::tools {
namespace {

struct temporary_options : report_options {
  std::string file;
  std::string within = "0B";
  std::string by = "function";
  rows_option rows;
};

/// Of a function or site: what was temporary, and all that it allocated.
struct temporary_row {
  std::string name;
  analysis::amount temporary, allocated;
};

struct temporaries {
  trace::info info;
  temporary_row total;
  std::vector<temporary_row> rows;
};

temporaries find(temporary_options const& o, trace_input& input,
                 std::shared_ptr<symbolize::resolver> const& names) {
  analysis::selection chosen = o.chosen.selection();
  input.source().several();
  const analysis::grouping by = grouping_of(o.by);
  const auto read = [&] {
    return analysis::read_usage(input.source(), {.chosen = chosen,
                                                 .names = names,
                                                 .lives = false,
                                                 .hide_allocation_functions = !o.all_frames,
                                                 .by_thread = by == analysis::grouping::thread});
  };
  const analysis::usage all = read();
  chosen.freed_within = static_cast<double>(analysis::parse_amount("--within", o.within).count());
  const analysis::usage some = read();
  temporaries result{
      .info = all.info,
      .total = {.name = "all", .temporary = some.total.allocated, .allocated = all.total.allocated},
      .rows = {}};
  std::unordered_map<std::string, analysis::amount> allocated;
  for (auto const& r : analysis::function_table(all, by)) {
    allocated.emplace(r.name, r.self.allocated);
  }
  for (auto const& r : analysis::function_table(some, by)) {
    if (r.self.allocated.blocks == 0) continue;
    result.rows.push_back({r.name, r.self.allocated, allocated[r.name]});
  }
  std::ranges::sort(result.rows, [](temporary_row const& a, temporary_row const& b) {
    if (a.temporary.samples != b.temporary.samples) {
      return a.temporary.samples > b.temporary.samples;
    }
    return a.name < b.name;
  });
  return result;
}

/// What the trace can know of it: a line for people.
std::string known_text(trace::info const& info, std::string const& within) {
  const std::string text =
      fmt::format("freed before their threads had allocated more than {} in other blocks", within);
  if (info.sample_rate >= 1) return text + ": exact, at rate 1\n";
  return text + fmt::format(
                    ", as far as samples say: one comes with each {} in the mean, so a block that "
                    "lived while W bytes were allocated may pass for one freed at once, with a "
                    "chance of exp(-W / {})\n",
                    analysis::bytes_text(info.bytes_of(1)), analysis::bytes_text(info.bytes_of(1)));
}

void print(temporaries const& t, std::size_t shown, temporary_options const& o, output_file& out) {
  using analysis::bytes_text;
  using analysis::count_text;
  const colours c(o.colour, !out.is_standard_output());
  const page fits = page_of(o.naming, !out.is_standard_output());
  analysis::sample_errors errors(t.info);
  out.write(wrapped(known_text(t.info, o.within), fits) + "\n");
  text_table table({{"temporary", align::right},
                    {"error", align::right},
                    {"blocks", align::right, 2},
                    {"error", align::right, 3},
                    {"of its", align::right},
                    {"allocated", align::right, 1},
                    {"samples", align::right, 4},
                    {o.by, align::left}});
  const auto add = [&](temporary_row const& r) {
    const auto bytes = errors.estimate(r.temporary.samples);
    const auto blocks = analysis::objects_estimate(t.info, r.temporary);
    table.add_named(
        {bytes_text(bytes.value), error_text(bytes), count_text(blocks.value), error_text(blocks),
         analysis::percent_text(static_cast<double>(r.temporary.samples),
                                static_cast<double>(r.allocated.samples)),
         bytes_text(errors.estimate(r.allocated.samples).value),
         count_text(static_cast<double>(r.temporary.samples))},
        {}, r.name);
  };
  add(t.total);
  for (std::size_t i = 0; i < shown; ++i) add(t.rows[i]);
  out.write(table.text(c, fits));
  out.write(o.rows.left_out(t.rows.size()));
}

std::string json_of(temporaries const& t, std::size_t shown, temporary_options const& o) {
  analysis::sample_errors errors(t.info);
  const auto amount = [&](analysis::amount const& a) -> nlohmann::ordered_json {
    const auto bytes = errors.estimate(a.samples);
    const auto blocks = analysis::objects_estimate(t.info, a);
    return {
        {"bytes", json_number(bytes.value)},         {"lower", json_number(bytes.lower)},
        {"upper", json_number(bytes.upper)},         {"samples", a.samples},
        {"objects", json_number(blocks.value)},      {"objects_lower", json_number(blocks.lower)},
        {"objects_upper", json_number(blocks.upper)}};
  };
  const auto row = [&](temporary_row const& r) -> nlohmann::ordered_json {
    return {
        {"name", r.name}, {"temporary", amount(r.temporary)}, {"allocated", amount(r.allocated)}};
  };
  nlohmann::ordered_json j = json_report("temporary");
  j["executable"] = t.info.executable_name;
  j["sample_rate"] = t.info.sample_rate;
  j["confidence"] = 0.95;
  j["within"] = o.within;
  j["bytes_between_samples"] = json_number(t.info.bytes_of(1));
  j["by"] = o.by;
  j["all"] = row(t.total);
  auto& list = j["rows"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < shown; ++i) list.push_back(row(t.rows[i]));
  return json_text(j);
}

int run_temporary(temporary_options const& o) {
  trace_input input(o.file, o.reading);
  output_file out(o.output, {o.file});
  const auto names = make_resolver(o.reading);
  const temporaries t = find(o, input, names);
  const std::size_t shown = o.rows.shown(t.rows.size());
  if (o.json) {
    out.write(json_of(t, shown, o));
  } else {
    print(t, shown, o, out);
  }
  out.commit();
  say_notices(names.get(), o.reading);
  return 0;
}

}  // namespace

command add_temporary_command(CLI::App& app) {
  const auto options = std::make_shared<temporary_options>();
  temporary_options& o = *options;
  CLI::App* const sub = app.add_subcommand(
      "temporary", "Blocks that were freed soon: what could be reused or avoided");
  sub->footer(
      "Examples:\n  memprof temporary a.ctf\n  memprof temporary --within 64KiB --by site a.ctf\n"
      "With 0B, what heaptrack calls temporary: nothing was allocated between, which only a trace "
      "of\n"
      "rate 1 knows exactly. Else what was allocated between is known by its samples, each of "
      "which\n"
      "stands for 8 / rate bytes. Other reports choose the same blocks by --freed-within.");
  add_trace_argument(*sub, o.file);
  add_output_options(*sub, o.output);
  sub->add_option("--within", o.within,
                  "Freed before its thread had allocated more than this (default 0B)")
      ->type_name("SIZE");
  add_grouping_option(*sub, o.by);
  o.rows.add(*sub);
  add_all_frames_option(*sub, o.all_frames);
  add_report_options(*sub, o);
  return {sub, [options] { return run_temporary(*options); }};
}

}  // namespace memprof::tools
