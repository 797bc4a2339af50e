// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>

#include "analysis/analysis.hpp"
#include "tools/amount.hpp"
#include "tools/commands.hpp"
#include "tools/grouping_option.hpp"
#include "tools/json_report.hpp"
#include "tools/measure_option.hpp"
#include "tools/names.hpp"
#include "tools/output_file.hpp"
#include "tools/report_options.hpp"
#include "tools/rows_option.hpp"
#include "tools/text_report.hpp"
#include "tools/trace_input.hpp"

namespace memprof::tools {
namespace {

struct diff_options : report_options {
  std::string before, after;
  std::string weight = "allocated", by = "function", normalize = "none";
  rows_option rows;
  bool total = false, significant = false;
};

analysis::difference_options meant(diff_options const& o) {
  analysis::difference_options d;
  d.value = measure_of(o.weight);
  d.what = o.by == "path" ? analysis::compared::paths
           : o.total      ? analysis::compared::total
                          : analysis::compared::self;
  d.by = grouping_of(o.by);
  d.normalize = o.normalize == "total"      ? analysis::normalization::total
                : o.normalize == "duration" ? analysis::normalization::duration
                                            : analysis::normalization::none;
  return d;
}

void print(analysis::difference const& d, std::size_t shown, diff_options const& o,
           output_file& out) {
  using analysis::bytes_text;
  const colours c(o.colour, !out.is_standard_output());
  text_table table({{"change", align::right},
                    {"std. error", align::right, 1},
                    {"before", align::right},
                    {"after", align::right},
                    {"chance", align::right, 2},
                    {"", align::left},
                    {o.by, align::left}});
  const auto add = [&](analysis::difference_row const& r) {
    std::string change = analysis::signed_bytes_text(r.change());
    if (r.significant) change = r.change() > 0 ? c.red(change) : c.green(change);
    table.add_named({change, bytes_text(r.error), bytes_text(r.before), bytes_text(r.after),
                     readable(r.chance), r.significant ? "*" : ""},
                    {}, r.name);
  };
  add(d.total);
  for (std::size_t i = 0; i < shown; ++i) add(d.rows[i]);
  out.write(table.text(c, page_of(o.naming, !out.is_standard_output())));
  out.write(o.rows.left_out(d.rows.size()));
  out.write(o.normalize == "duration" ? "\nBytes for each second. " : "\n");
  out.write(
      "chance: of such a difference if both runs did the same, and only the samples differ;\n"
      "*: less than 5 % for all rows together\n");
}

nlohmann::ordered_json json_of(analysis::difference_row const& r) {
  return {{"name", r.name},
          {"change", json_number(r.change())},
          {"standard_error", json_number(r.error)},
          {"before", json_number(r.before)},
          {"after", json_number(r.after)},
          {"samples_before", r.samples_before},
          {"samples_after", r.samples_after},
          {"chance", r.chance},
          {"significant", r.significant}};
}

int run_diff(diff_options const& o) {
  const analysis::selection chosen = o.chosen.selection();
  output_file out(o.output, {o.before, o.after});
  const auto names = make_resolver(o.reading);
  const analysis::difference_options how = meant(o);
  const auto read = [&](std::string const& file) {
    trace_input input(file, o.reading);
    return analysis::read_usage(
        input.source(),
        {.chosen = chosen,
         .names = names,
         .lives = how.value != analysis::measure::allocated,
         .hide_allocation_functions = !o.all_frames && how.what != analysis::compared::paths});
  };
  const analysis::usage before = read(o.before);
  const analysis::usage after = read(o.after);
  analysis::difference d = analysis::compare(before, after, how);
  if (o.significant) std::erase_if(d.rows, [](auto const& r) { return !r.significant; });
  const std::size_t shown = o.rows.shown(d.rows.size());
  if (o.json) {
    nlohmann::ordered_json j = json_report("diff");
    j["before"] = o.before;
    j["after"] = o.after;
    j["weight"] = o.weight;
    j["by"] = o.by;
    j["normalize"] = o.normalize;
    j["scale_before"] = json_number(d.scale_before);
    j["scale_after"] = json_number(d.scale_after);
    j["total"] = json_of(d.total);
    auto& list = j["rows"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < shown; ++i) list.push_back(json_of(d.rows[i]));
    out.write(json_text(j));
  } else {
    print(d, shown, o, out);
  }
  out.commit();
  say_notices(names.get(), o.reading);
  return 0;
}

}  // namespace

command add_diff_command(CLI::App& app) {
  const auto options = std::make_shared<diff_options>();
  diff_options& o = *options;
  CLI::App* const sub = app.add_subcommand("diff", "What changed from one trace to another");
  sub->footer(
      "Examples:\n  memprof diff old.ctf new.ctf\n"
      "  memprof diff --weight in-use --by path old.ctf new.ctf\n"
      "  memprof diff --normalize duration --significant old.ctf new.ctf\n"
      "Traces may have different sampling rates. A selection is applied to both.");
  sub->add_option("BEFORE", o.before, "The first trace")->required()->type_name("");
  sub->add_option("AFTER", o.after, "The second trace")->required()->type_name("");
  add_output_options(*sub, o.output);
  add_measure_option(*sub, "--weight", o.weight);
  sub->add_option("--by", o.by, "function, site, file, module or path")
      ->type_name("WHAT")
      ->check(CLI::IsMember({"function", "site", "file", "module", "path"}));
  sub->add_flag("--total", o.total, "Compare functions with all that they call");
  sub->add_option("--normalize", o.normalize,
                  "none; total: as if both came to the same; duration: for each second")
      ->type_name("HOW")
      ->check(CLI::IsMember({"none", "total", "duration"}));
  sub->add_flag("--significant", o.significant, "Only what cannot well be chance");
  o.rows.add(*sub);
  add_all_frames_option(*sub, o.all_frames, "which otherwise only paths have");
  add_report_options(*sub, o);
  return {sub, [options] { return run_diff(*options); }};
}

}  // namespace memprof::tools
