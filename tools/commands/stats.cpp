// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>

#include "tools/commands.hpp"
#include "tools/json_report.hpp"
#include "tools/names.hpp"
#include "tools/output_file.hpp"
#include "tools/stats_report.hpp"
#include "tools/text_report.hpp"
#include "tools/trace_input.hpp"

namespace memprof::tools {
namespace {

struct stats_options {
  std::string trace;
  reading_options reading;
  output_options output;
  name_option naming;
  colour_option colour;
  bool all_frames = false;
  bool json = false;
  bool events = false;
  std::string csv;
  std::string plots;
  std::string by = "site";
  std::string under;
  std::size_t top = 10;
};

/// The text form that the notebooks of ocaml-alloc-stats read.
void write_events(stats_options const& o) {
  output_file out(o.output, {o.trace});
  trace_input input(o.trace, o.reading);
  auto events = input.open(false);
  for (trace::event e; events.next(e);) {
    char const* kind = e.kind == trace::event_kind::promotion    ? "P"
                       : e.kind == trace::event_kind::collection ? "C"
                       : e.source == trace::heap::minor          ? "a"
                       : e.source == trace::heap::major          ? "A"
                                                                 : "AE";
    out.write(fmt::format("{:010} {:010} {}", e.time.count(), e.object, kind));
    if (e.kind == trace::event_kind::allocation) out.write(fmt::format(" {}", e.length));
    out.write("\n");
  }
  out.commit();
}

stats_subject analysed(stats_options const& o) {
  stats_subject s;
  s.name = o.trace;
  s.under = o.under;
  s.by = o.by == "function" ? analysis::site_kind::function : analysis::site_kind::site;
  s.top = o.top;
  std::optional<analysis::name_pattern> under;
  if (!o.under.empty()) under.emplace(o.under);
  trace_input input(o.trace, o.reading);
  auto events = input.open();
  s.name = input.name();
  s.info = events.info();
  const auto names =
      make_resolver(o.reading, s.by == analysis::site_kind::function ? unnamed_code::by_function
                                                                     : unnamed_code::by_address);
  analysis::statistics_builder builder(s.info, names, std::move(under), !o.all_frames);
  for (trace::event e; events.next(e);) builder.add(e, events.reader());
  s.numbers = builder.finish();
  s.program = analysis::program_name(s.info, analysis::notes_of(events.reader()));
  s.sites = analysis::sites_of(s.numbers.stacks, s.by);
  say_notices(names.get(), o.reading);
  return s;
}

void run_stats(stats_options const& o) {
  if (o.events) return write_events(o);
  output_file out(o.output, {o.trace});
  const stats_subject s = analysed(o);
  if (!o.plots.empty()) {
    std::filesystem::create_directories(o.plots);
    for (auto const& [name, svg] : stats_plots(s)) {
      output_options plot = o.output;
      plot.file = (std::filesystem::path(o.plots) / name).string();
      output_file file(plot, {o.trace});
      file.write(svg);
      file.commit();
    }
  }
  if (o.json) {
    out.write(json_text(stats_json(s)));
  } else if (!o.csv.empty()) {
    out.write(stats_csv(s, o.csv));
  } else {
    const bool to_file = !out.is_standard_output();
    out.write(stats_text(s, colours(o.colour, to_file), page_of(o.naming, to_file)));
  }
  out.commit();
}

}  // namespace

command add_stats_command(CLI::App& app) {
  const auto options = std::make_shared<stats_options>();
  stats_options& o = *options;
  CLI::App* const stats = app.add_subcommand(
      "stats", "Sizes, lifetimes, rates and sites, with their errors; as plots, too");
  add_trace_argument(*stats, o.trace);
  stats->add_option("--by", o.by, "Sum up by allocation site, or by function")
      ->check(CLI::IsMember({"site", "function"}))
      ->type_name("site|function");
  stats
      ->add_option("--under", o.under,
                   "Only blocks with such a function in their backtrace: text that its name "
                   "contains, =NAME, or /REGEX/")
      ->type_name("FUNCTION");
  stats->add_option("-n,--rows,--top", o.top, "Sites to show (default 10)")->type_name("N");
  stats->add_flag("--all-frames", o.all_frames,
                  "Sites in operator new, malloc and the C++ standard library, too; else those of "
                  "their callers");
  stats
      ->add_option("--plots", o.plots,
                   "Write plots, SVG, into this folder, besides what is printed; -f overwrites")
      ->type_name("DIR");
  auto* const json = stats->add_flag("--json", o.json, "All numbers, as JSON");
  auto* const csv = stats->add_option("--csv", o.csv, "One table as CSV, all of its rows")
                        ->check(CLI::IsMember(stats_table_names()))
                        ->type_name("TABLE")
                        ->excludes(json);
  stats
      ->add_flag(
          "--events", o.events,
          "The events as the notebooks of ocaml-alloc-stats read them: TIME ID a|A|AE LENGTH, "
          "TIME ID P, TIME ID C")
      ->excludes(json)
      ->excludes(csv);
  add_output_options(*stats, o.output);
  add_reading_options(*stats, o.reading);
  add_symbol_options(*stats, o.reading);
  add_name_option(*stats, o.naming);
  add_colour_option(*stats, o.colour);
  stats->footer(
      "Examples:\n"
      "  memprof stats a.ctf\n"
      "  memprof stats a.ctf --plots plots --by function\n"
      "  memprof stats a.ctf --under Queue.push --csv points\n"
      "Memory grows with the blocks that live at once, with the different backtraces, and by 32\n"
      "bytes for each block that leaves the minor heap.\n"
      "Tables of --csv: series, sizes, counts-by-size, lifetimes, points, survival, sites.");
  return {stats, [options] {
            run_stats(*options);
            return 0;
          }};
}

}  // namespace memprof::tools
