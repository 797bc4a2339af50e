// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <cstdint>
#include <fmt/format.h>
#include <memory>

#include "memprof/version.hpp"

#include "page_server/page_server.hpp"
#include "tools/commands.hpp"
#include "tools/message.hpp"
#include "tools/names.hpp"
#include "tools/output_file.hpp"
#include "tools/serving.hpp"
#include "tools/trace_input.hpp"
#include "tools/usage_error.hpp"

namespace memprof::tools {
namespace {

struct serve_options {
  std::string file, against, html;
  bool force = false;
  serving_options serving;
  reading_options reading;
};

/// What the page has not, of a trace that is too large for it.
void say_left_out(page_server::trace_state const& trace) {
  page_server::json const& facts = trace.facts;
  if (facts["kept_objects"] != facts["objects"]) {
    message(fmt::format(
        "{} sampled blocks are too many for the page: it has {} of them, one of {:g} samples",
        facts["objects"].get<std::uint64_t>(), facts["kept_objects"].get<std::uint64_t>(),
        facts["file_sample_rate"].get<double>() / facts["sample_rate"].get<double>()));
  }
  if (facts["stack_ends"].is_null()) return;
  const auto ends = facts["stack_ends"].get<std::uint32_t>();
  message(
      fmt::format("the stacks have too many calls for the page: of those of more than {} it has "
                  "the outermost {} and the innermost {}",
                  2 * ends, ends, ends));
}

void write_html(serve_options const& o, std::shared_ptr<page_server::served_trace> const& trace) {
  output_file out({.file = o.html, .force = o.force}, {o.file}, output_file::content::bytes);
  auto const state = trace->now();
  const page_server::source_files sources(o.serving.sources);
  out.write(page_server::with_data(page_server::single_page(),
                                   page_server::single_file_data(*state),
                                   page_server::single_file_sources(*state, sources)));
  out.commit();
}

int run_serve(serve_options const& o) {
  if (o.file == "-") throw usage_error("serve: the trace must be a file, not standard input");
  if (!o.html.empty() && !o.against.empty()) {
    throw usage_error("--html: a file holds one trace; not with --against");
  }
  if (!o.html.empty() && page_server::single_page().empty()) {
    throw std::runtime_error(
        "--html: this memprof was built without the page (MEMPROF_BUILD_VIEWER)");
  }
  const auto read = [&](std::string const& file) {
    const auto names = make_resolver(o.reading);
    auto trace = std::make_shared<page_server::served_trace>(
        page_server::trace_options{.file = file,
                                   .recover = o.reading.recover,
                                   .awaited = false,
                                   .names = names,
                                   .version = MEMPROF_VERSION_STRING});
    say_notices(names.get(), o.reading);
    if (auto const& damage = trace->now()->damage; damage && !o.reading.quiet) {
      message(*damage);
    }
    if (!o.reading.quiet) say_left_out(*trace->now());
    return trace;
  };
  const auto trace = read(o.file);
  if (!o.html.empty()) {
    write_html(o, trace);
    return 0;
  }
  const auto other = o.against.empty() ? nullptr : read(o.against);
  end_signals signals;  // before any thread begins
  const auto server = begin_serving(trace, other, o.serving, print_lines);
  signals.wait();
  return 0;
}

}  // namespace

command add_serve_command(CLI::App& app) {
  const auto options = std::make_shared<serve_options>();
  serve_options& o = *options;
  CLI::App* const sub = app.add_subcommand("serve", "Look at a trace in a browser");
  sub->footer(
      "Examples:\n  memprof serve --open a.ctf\n  memprof serve new.ctf --against old.ctf\n"
      "  memprof serve a.ctf --html a.html\n"
      "The page is served to this machine only, unless --host says otherwise. A file that grows\n"
      "is read on. The file that --html writes works without a server.");
  sub->add_option("FILE", o.file, "The trace")->required()->type_name("");
  sub->add_option("--against", o.against, "Another trace: what changed since that one?")
      ->type_name("FILE");
  sub->add_option("--html", o.html, "Write the page with the trace in it, and serve nothing")
      ->type_name("OUT");
  sub->add_flag("-f,--force", o.force, "Overwrite OUT if it exists");
  add_serving_options(*sub, o.serving);
  add_symbol_options(*sub, o.reading);
  add_reading_options(*sub, o.reading);
  return {sub, [options] { return run_serve(*options); }};
}

}  // namespace memprof::tools
