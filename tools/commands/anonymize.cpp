// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "tools/commands.hpp"
#include "tools/output_file.hpp"
#include "tools/pseudonyms.hpp"
#include "tools/rewriting.hpp"
#include "tools/trace_input.hpp"

namespace memprof::tools {
namespace {

struct anonymize_options {
  std::string trace;
  reading_options reading;
  output_options output;
  bool keep_backtraces = false;
  std::optional<int> version;
};

void run_anonymize(anonymize_options const& o) {
  output_file out(o.output, {o.trace}, output_file::content::bytes);
  trace_input input(o.trace, o.reading);
  auto events = input.open(o.keep_backtraces);
  trace::info info = events.info();
  info.version = o.version.value_or(3);
  info.executable_name = info.host_name = "<anonymous>";
  info.context.clear();
  info.pid = 0;
  info.start_time = {};
  pseudonyms names;
  rewriting copy(
      out, info, [&](trace::location_code code) { return names.locations(code); },
      rewriting::manner::afresh);
  std::vector<trace::location_code> backtrace;
  for (trace::event e; events.next(e);) {
    e.common_prefix = 0;
    if (o.keep_backtraces) {
      backtrace.clear();
      for (const trace::location_code code : e.backtrace) {
        backtrace.push_back(names.code(code, events.reader()));
      }
      e.backtrace = backtrace;
    }
    copy.put(e);
  }
  for (trace::interrupt i : events.reader().interrupts()) {
    i.stack = {};
    copy.put(i);
  }
  copy.close();
  out.commit();
}

}  // namespace

command add_anonymize_command(CLI::App& app) {
  const auto options = std::make_shared<anonymize_options>();
  anonymize_options& o = *options;
  CLI::App* const anonymize = app.add_subcommand("anonymize", "A copy without names, to be shared");
  add_trace_argument(*anonymize, o.trace);
  anonymize->add_flag("--keep-backtraces", o.keep_backtraces,
                      "Keep backtraces, with numbers for names: f1, file1, the same each time");
  anonymize->add_option("--version", o.version, "Of the format to write (default 3)")
      ->check(CLI::IsMember({2, 3}))
      ->type_name("2|3");
  add_output_options(*anonymize, o.output, true);
  add_reading_options(*anonymize, o.reading);
  anonymize->footer(
      "Examples:\n"
      "  memprof anonymize a.ctf -o public.ctf\n"
      "  memprof anonymize --keep-backtraces a.ctf -o public.ctf\n"
      "Removed: names of program, host, functions and files, lines, addresses, context,\n"
      "process id, date. Kept: rate, word size, parameters of the runtime, times since the start,\n"
      "sizes, samples, heaps, domains. Memory grows with the blocks that live at once.");
  return {anonymize, [options] {
            run_anonymize(*options);
            return 0;
          }};
}

}  // namespace memprof::tools
