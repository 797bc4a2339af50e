// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <span>
#include <string>

#include "analysis/analysis.hpp"
#include "page_server/page_server.hpp"
#include "tools/annotated_source.hpp"
#include "tools/commands.hpp"
#include "tools/json_report.hpp"
#include "tools/message.hpp"
#include "tools/names.hpp"
#include "tools/output_file.hpp"
#include "tools/report_head.hpp"
#include "tools/selection_options.hpp"
#include "tools/source_options.hpp"
#include "tools/text_report.hpp"
#include "tools/trace_input.hpp"

namespace memprof::tools {
namespace {

struct annotate_options {
  std::string function;
  std::string file;
  std::uint32_t context = 3;
  std::size_t most = 5;
  bool json = false;
  selection_options chosen;
  page_server::source_options sources;
  colour_option colour;
  reading_options reading;
  output_options output;
};

using analysis::annotated_function;
using analysis::measure;

nlohmann::ordered_json json_sums(analysis::usage const& u, analysis::amounts const& sums,
                                 analysis::sample_errors& errors) {
  nlohmann::ordered_json j;
  for (auto const& [name, m] :
       {std::pair("allocated", measure::allocated), std::pair("in_use_at_end", measure::in_use)}) {
    const auto e = errors.estimate(amount_of(sums, m).samples, u.moment_of(m));
    j[name] = {{"bytes", json_number(e.value)},
               {"lower", json_number(e.lower)},
               {"upper", json_number(e.upper)},
               {"samples", amount_of(sums, m).samples}};
  }
  return j;
}

std::string json_of(analysis::usage const& u, std::span<annotated_function const> functions,
                    annotate_options const& o) {
  analysis::sample_errors errors(u.info);
  const page_server::source_files sources(o.sources);
  nlohmann::ordered_json j = json_report("annotate");
  j["confidence"] = 0.95;
  auto& list = j["functions"] = nlohmann::ordered_json::array();
  for (annotated_function const& f : functions) {
    nlohmann::ordered_json one{{"function", f.name}, {"file", f.file}};
    one.update(json_sums(u, f.sums, errors));
    std::string why;
    auto const source = sources.read(f.file, why);
    auto& lines = one["lines"] = nlohmann::ordered_json::array();
    for (analysis::annotated_line const& l : f.lines) {
      nlohmann::ordered_json line{{"line", l.line}};
      line.update(json_sums(u, l.sums, errors));
      if (source && l.line != 0 && l.line <= source->size()) line["text"] = (*source)[l.line - 1];
      lines.push_back(std::move(line));
    }
    list.push_back(std::move(one));
  }
  return json_text(j);
}

int run_annotate(annotate_options const& o) {
  const analysis::name_pattern wanted(o.function);
  trace_input input(o.file, o.reading);
  output_file out(o.output, {o.file});
  const auto names = make_resolver(o.reading);
  const analysis::usage u = analysis::read_usage(
      input.source(), {.chosen = o.chosen.selection(), .names = names, .lives = true});
  const std::vector<annotated_function> all = analysis::annotate(u, wanted);
  say_notices(names.get(), o.reading);
  if (all.empty()) {
    message(fmt::format("{}: no function that allocated matches '{}'", o.file, o.function));
    return 1;
  }
  const std::span shown(all.data(), o.most == 0 ? all.size() : std::min(o.most, all.size()));
  if (o.json) {
    out.write(json_of(u, shown, o));
  } else {
    analysis::sample_errors errors(u.info);
    out.write(report_head(u, errors, page_of({}, !out.is_standard_output())));
    const annotated_source_style style{.context = o.context,
                                       .page = page_of({}, !out.is_standard_output()),
                                       .colour = colours(o.colour, !out.is_standard_output())};
    const page_server::source_files sources(o.sources);
    for (annotated_function const& f : shown) {
      out.write(annotated_source(u, f, errors, sources, style));
    }
    if (shown.size() < all.size()) {
      out.write(fmt::format("and {} more that match; -n 0 shows all\n", all.size() - shown.size()));
    }
  }
  out.commit();
  return 0;
}

}  // namespace

command add_annotate_command(CLI::App& app) {
  const auto options = std::make_shared<annotate_options>();
  annotate_options& o = *options;
  CLI::App* const sub =
      app.add_subcommand("annotate", "Source lines of a function, with what each allocates");
  sub->footer(
      "Examples:\n  memprof annotate metrics::record a.ctf\n"
      "  memprof annotate --live-at-end '/^parse/' a.ctf\n"
      "  memprof annotate --substitute-path /build/server=. handle a.ctf\n"
      "FUNCTION: a part of the name; =NAME: all of it; /EXPRESSION/: a regular expression.\n"
      "A line counts what was allocated in it and by all that it calls. Sources are read where "
      "the\n"
      "program's debug information says that they are.\n"
      "Exit status: 1 if no function that allocated matches.");
  sub->add_option("FUNCTION", o.function, "Which function")->required();
  add_trace_argument(*sub, o.file);
  add_output_options(*sub, o.output);
  sub->add_option("--context", o.context, "Lines before and after (default 3)")
      ->type_name("N")
      ->check(CLI::Range(0, 100000));
  sub->add_option("-n,--rows", o.most, "Functions to show, of those that match; 0: all (default 5)")
      ->type_name("N");
  sub->add_flag("--json", o.json, "Exact numbers, as JSON");
  add_source_options(*sub, o.sources);
  o.chosen.add(*sub);
  add_symbol_options(*sub, o.reading);
  add_colour_option(*sub, o.colour);
  add_reading_options(*sub, o.reading);
  return {sub, [options] { return run_annotate(*options); }};
}

}  // namespace memprof::tools
