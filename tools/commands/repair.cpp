// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "analysis/analysis.hpp"
#include "tools/commands.hpp"
#include "tools/json_report.hpp"
#include "tools/message.hpp"
#include "tools/output_file.hpp"
#include "tools/rewriting.hpp"
#include "tools/trace_input.hpp"
#include "tools/usage_error.hpp"

namespace memprof::tools {
namespace {

struct repair_options {
  std::string trace;
  reading_options reading;
  output_options output;
  std::optional<int> version;
  bool json = false;
};

void report(repair_options const& o, rewriting::counts const& written,
            std::vector<std::string> const& notices) {
  if (o.json) {
    auto r = json_report("repair");
    r["damaged"] = !notices.empty() || written.unknown > 0 || written.unwritable > 0;
    r["notices"] = notices;
    r["allocations"] = written.allocations;
    r["promotions"] = written.promotions;
    r["collections"] = written.collections;
    r["events_of_lost_blocks"] = written.unknown;
    r["events_unwritable"] = written.unwritable;
    output_file out(output_options{});
    out.write(json_text(r));
    out.commit();
    return;
  }
  if (o.reading.quiet) return;
  std::string text = fmt::format("{}: {}, {}, {} saved", o.output.file,
                                 analysis::count_text(written.allocations, "allocation"),
                                 analysis::count_text(written.promotions, "promotion"),
                                 analysis::count_text(written.collections, "collection"));
  if (written.unknown > 0) {
    text += fmt::format("; {} of blocks whose allocation was lost left out",
                        analysis::count_text(written.unknown, "event"));
  }
  if (written.unwritable > 0)
    text +=
        fmt::format("; {} left out", analysis::count_text(written.unwritable, "impossible event"));
  if (notices.empty() && written.unknown == 0 && written.unwritable == 0) {
    text += "; nothing was damaged";
  }
  message(text);
}

void run_repair(repair_options o) {
  if (o.json && o.output.file == "-") throw usage_error("--json: needs -o FILE");
  o.reading.recover = true;
  output_file out(o.output, {o.trace}, output_file::content::bytes);
  trace_input input(o.trace, o.reading);
  auto events = input.open();
  trace::info info = events.info();
  info.version = written_version(info, o.version);
  rewriting copy(out, info,
                 [&](trace::location_code code) { return events.reader().locations(code); });
  for (trace::event e; events.next(e);) {
    copy.put_notes_of(events.reader());
    copy.put_if_possible(e);
  }
  const auto found = events.reader().notices();
  const std::vector<std::string> notices(found.begin(), found.end());
  if (!notices.empty() && copy.written().allocations == 0) {
    throw std::runtime_error(input.name() + ": no event could be saved");
  }
  for (trace::interrupt const& i : events.reader().interrupts()) copy.put(i);
  copy.put_notes_of(events.reader());
  copy.close();
  out.commit();
  report(o, copy.written(), notices);
}

}  // namespace

command add_repair_command(CLI::App& app) {
  const auto options = std::make_shared<repair_options>();
  repair_options& o = *options;
  CLI::App* const repair =
      app.add_subcommand("repair", "A clean copy of what can be read of a damaged trace");
  add_trace_argument(*repair, o.trace);
  repair->add_option("--version", o.version, "Of the format to write (default: as it was)")
      ->check(CLI::IsMember({2, 3}))
      ->type_name("2|3");
  repair->add_flag("--json", o.json, "Say on standard output what was lost, as JSON");
  add_output_options(*repair, o.output, true);
  repair->add_flag("-q,--quiet", o.reading.quiet, "Do not say what was lost");
  repair->add_flag("--no-progress", o.reading.no_progress, "No progress bar on stderr");
  repair->footer(
      "Examples:\n"
      "  memprof repair broken.ctf -o saved.ctf\n"
      "Reports where the damage is and what was lost. Exit status 0 if anything could be saved,\n"
      "or nothing was damaged. Frames behind lost packets may be wrong. Memory grows with the\n"
      "blocks that live at once.");
  return {repair, [options] {
            run_repair(*options);
            return 0;
          }};
}

}  // namespace memprof::tools
