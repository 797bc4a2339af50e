// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <memory>

#include "analysis/analysis.hpp"
#include "tools/commands.hpp"
#include "tools/json_report.hpp"
#include "tools/measure_option.hpp"
#include "tools/names.hpp"
#include "tools/output_file.hpp"
#include "tools/selection_options.hpp"
#include "tools/trace_input.hpp"

namespace memprof::tools {
namespace {

struct flamegraph_options {
  std::string file;
  std::string weight = "allocated";
  std::string unit = "samples";
  bool short_paths = false;
  bool recursion = false;
  bool unknown = false;
  bool json = false;
  bool by_thread = false;
  selection_options chosen;
  reading_options reading;
  output_options output;
};

int run_flamegraph(flamegraph_options const& o) {
  const analysis::measure value = measure_of(o.weight);
  trace_input input(o.file, o.reading);
  output_file out(o.output, {o.file});
  const auto names = make_resolver(o.reading);
  const analysis::usage u =
      analysis::read_usage(input.source(), {.chosen = o.chosen.selection(),
                                            .names = names,
                                            .lives = value != analysis::measure::allocated,
                                            .by_thread = o.by_thread});
  const analysis::call_tree_options tree_options{
      .fold_recursion = !o.recursion, .unknown = o.unknown, .value = value};
  const analysis::folded_options folded{.unit_bytes = o.unit == "bytes",
                                        .short_paths = o.short_paths};
  const auto write = [&](std::string_view text) { out.write(text); };
  if (o.json) {
    nlohmann::ordered_json j = json_report("flamegraph");
    j["weight"] = o.weight;
    j["bytes_per_sample"] = json_number(u.info.bytes_of(1));
    // The tree is written as it is found: it has a node for each call.
    std::string head = json_text(j);
    head.resize(head.rfind("\n}"));
    out.write(head + ",\n \"tree\": ");
    if (o.recursion) {
      exports::write_json_tree(u, tree_options, write);
    } else {
      exports::write_json_tree(analysis::call_tree(u, tree_options), write);
    }
    out.write("\n}\n");
  } else if (o.recursion) {
    analysis::write_folded(u, tree_options, folded, write);
  } else {
    analysis::write_folded(analysis::call_tree(u, tree_options), u.info, folded, write);
  }
  out.commit();
  say_notices(names.get(), o.reading);
  return 0;
}

}  // namespace

command add_flamegraph_command(CLI::App& app) {
  const auto options = std::make_shared<flamegraph_options>();
  flamegraph_options& o = *options;
  CLI::App* const sub =
      app.add_subcommand("flamegraph", "Folded stacks, for programs that draw flame graphs");
  sub->footer(
      "Examples:\n  memprof flamegraph a.ctf | flamegraph.pl > a.svg\n"
      "  memprof flamegraph --weight in-use --unit bytes -o a.folded a.ctf\n"
      "One line for each stack: f1;f2;f3 SAMPLES. A function counts once in a stack.\n"
      "--json: each function on a line, inside the \"children\" of its caller. With --recursion\n"
      "these are two levels for each call, more than many readers of JSON take; the nodes of\n"
      "memprof tree --json are a list.");
  add_trace_argument(*sub, o.file);
  add_output_options(*sub, o.output);
  add_measure_option(*sub, "--weight", o.weight);
  sub->add_option("--unit", o.unit, "samples or bytes (estimated)")
      ->type_name("UNIT")
      ->check(CLI::IsMember({"samples", "bytes"}));
  sub->add_flag("--short-paths", o.short_paths,
                "Stacks of a single function, too, which memtrace leaves out");
  sub->add_flag("--unknown", o.unknown, "Code without a name, too, as 0x<code>");
  sub->add_flag("--recursion", o.recursion, "Do not fold recursion");
  sub->add_flag("--by-thread", o.by_thread, "The stacks of each thread by themselves");
  sub->add_flag("--json", o.json, "The tree, as JSON");
  o.chosen.add(*sub);
  add_symbol_options(*sub, o.reading);
  add_reading_options(*sub, o.reading);
  return {sub, [options] { return run_flamegraph(*options); }};
}

}  // namespace memprof::tools
