// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "analysis/analysis.hpp"
#include "tools/commands.hpp"
#include "tools/json_report.hpp"
#include "tools/measure_option.hpp"
#include "tools/names.hpp"
#include "tools/output_file.hpp"
#include "tools/report_head.hpp"
#include "tools/report_options.hpp"
#include "tools/text_report.hpp"
#include "tools/trace_input.hpp"

namespace memprof::tools {
namespace {

struct tree_options : report_options {
  std::string file;
  std::string weight = "allocated";
  bool bottom_up = false, recursion = false, by_thread = false;
  double threshold = 1;
  std::size_t depth = 0;
};

/// The children that are shown, largest first.
class shown_tree {
 public:
  using node_id = analysis::call_tree::node_id;
  shown_tree(analysis::call_tree const& tree, double percent)
      : tree_(tree), children_(tree.children_by_name()) {
    const double least = static_cast<double>(total(0)) * percent / 100;
    const auto size = static_cast<node_id>(tree.nodes().size());
    shown_.reserve(size);
    for (node_id i = 0; i < size; ++i) {
      const std::span<node_id> list = children_.of(i);
      const auto hidden = std::stable_partition(list.begin(), list.end(), [&](node_id c) {
        return total(c) > 0 && static_cast<double>(total(c)) >= least;
      });
      std::stable_sort(list.begin(), hidden,
                       [&](node_id a, node_id b) { return total(a) > total(b); });
      shown_.push_back(static_cast<std::uint32_t>(hidden - list.begin()));
    }
  }
  [[nodiscard]] std::uint64_t total(node_id i) const { return tree_.nodes()[i].total; }
  [[nodiscard]] std::uint64_t own(node_id i) const { return tree_.nodes()[i].own; }
  /// visit(node, depth, is_last): parents first; without recursion, for stacks may be deep.
  template <class Visit>
  void walk(Visit&& visit) const {
    std::vector<std::pair<node_id, std::size_t>> path{{0, 0}};
    while (!path.empty()) {
      auto& [node, next] = path.back();
      if (next == shown_[node]) {
        path.pop_back();
        continue;
      }
      const node_id child = std::as_const(children_).of(node)[next++];
      visit(child, path.size(), next == shown_[node]);
      path.emplace_back(child, 0);
    }
  }

 private:
  analysis::call_tree const& tree_;
  analysis::child_lists children_;
  std::vector<std::uint32_t> shown_;  // so many children of each node
};

void print(analysis::usage const& u, analysis::call_tree const& tree, shown_tree const& shown,
           tree_options const& o, output_file& out) {
  const colours c(o.colour, !out.is_standard_output());
  analysis::sample_errors errors(u.info);
  out.write(report_head(u, errors, page_of(o.naming, !out.is_standard_output())));
  text_table table({{"bytes", align::right},
                    {"error", align::right, 2},
                    {"share", align::right, 1},
                    {"itself", align::right},
                    {o.bottom_up ? "allocated by, called by" : "function, calls", align::left}});
  const auto whole = static_cast<double>(shown.total(0));
  const auto m = u.moment_of(measure_of(o.weight));
  std::string lines;  // of the ancestors that have more children
  std::vector<std::size_t> lengths{0};
  shown.walk([&](shown_tree::node_id i, std::size_t depth, bool last) {
    lines.resize(lengths[depth - 1]);
    lengths.resize(depth);
    // Chains of thousands of calls continue without indentation.
    const bool deep = depth > 100;
    const auto total = errors.estimate(shown.total(i), m);
    const auto own = errors.estimate(shown.own(i), m);
    table.add_named({analysis::bytes_text(total.value), error_text(total),
                     analysis::percent_text(static_cast<double>(shown.total(i)), whole),
                     own.value > 0 ? analysis::bytes_text(own.value) : ""},
                    lines + (depth == 1 || deep ? ""
                             : last             ? "`- "
                                                : "|- "),
                    tree.name(i));
    if (depth > 1 && !deep) lines += last ? "   " : "|  ";
    lengths.push_back(lines.size());
  });
  out.write(table.text(c, page_of(o.naming, !out.is_standard_output())));
}

std::string json_of(analysis::usage const& u, analysis::call_tree const& tree,
                    shown_tree const& shown, tree_options const& o) {
  analysis::sample_errors errors(u.info);
  const auto m = u.moment_of(measure_of(o.weight));
  const auto amount = [&](std::uint64_t samples) -> nlohmann::ordered_json {
    const auto e = errors.estimate(samples, m);
    return {{"bytes", json_number(e.value)},
            {"lower", json_number(e.lower)},
            {"upper", json_number(e.upper)},
            {"samples", samples}};
  };
  nlohmann::ordered_json j = json_report("tree");
  j["executable"] = u.info.executable_name;
  j["program"] = analysis::program_name(u.info, u.notes);
  j["sample_rate"] = u.info.sample_rate;
  j["confidence"] = 0.95;
  j["weight"] = o.weight;
  j["direction"] = o.bottom_up ? "bottom-up" : "top-down";
  j["total"] = amount(shown.total(0));
  // A list with depths, parents first: trees of thousands of levels break readers of JSON.
  auto& list = j["nodes"] = nlohmann::ordered_json::array();
  shown.walk([&](shown_tree::node_id i, std::size_t depth, bool) {
    list.push_back({{"depth", depth},
                    {"function", tree.name(i)},
                    {"total", amount(shown.total(i))},
                    {"self", amount(shown.own(i))}});
  });
  return json_text(j);
}

int run_tree(tree_options const& o) {
  const analysis::measure value = measure_of(o.weight);
  trace_input input(o.file, o.reading);
  output_file out(o.output, {o.file});
  const auto names = make_resolver(o.reading);
  const analysis::usage u =
      analysis::read_usage(input.source(), {.chosen = o.chosen.selection(),
                                            .names = names,
                                            .lives = true,
                                            .hide_allocation_functions = !o.all_frames,
                                            .by_thread = o.by_thread});
  const analysis::call_tree tree(u, {.fold_recursion = !o.recursion,
                                     .from_allocator = o.bottom_up,
                                     .depth = o.depth,
                                     .value = value});
  const shown_tree shown(tree, o.threshold);
  if (o.json) {
    out.write(json_of(u, tree, shown, o));
  } else {
    print(u, tree, shown, o, out);
  }
  out.commit();
  say_notices(names.get(), o.reading);
  return 0;
}

}  // namespace

command add_tree_command(CLI::App& app) {
  const auto options = std::make_shared<tree_options>();
  tree_options& o = *options;
  CLI::App* const sub = app.add_subcommand("tree", "Who calls what, and what is allocated there");
  sub->footer(
      "Examples:\n  memprof tree a.ctf\n  memprof tree --bottom-up --weight in-use a.ctf\n"
      "  memprof tree --depth 6 --threshold 5 --function parse a.ctf");
  add_trace_argument(*sub, o.file);
  add_output_options(*sub, o.output);
  add_measure_option(*sub, "--weight", o.weight);
  sub->add_flag("--bottom-up", o.bottom_up, "Begin with the functions that allocate");
  add_all_frames_option(*sub, o.all_frames);
  sub->add_option("--threshold", o.threshold, "Leave out what is below so many percent (default 1)")
      ->type_name("PERCENT")
      ->check(CLI::Range(0.0, 100.0));
  sub->add_option("--depth", o.depth, "So many levels at most; 0: all")->type_name("N");
  sub->add_flag("--recursion", o.recursion, "Do not fold recursion");
  sub->add_flag("--by-thread", o.by_thread, "The stacks of each thread by themselves");
  add_report_options(*sub, o);
  return {sub, [options] { return run_tree(*options); }};
}

}  // namespace memprof::tools
