// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <unistd.h>

#include "memprof/version.hpp"

#include "export/export.hpp"
#include "tools/commands.hpp"
#include "tools/names.hpp"
#include "tools/output_file.hpp"
#include "tools/output_stream.hpp"
#include "tools/rewriting.hpp"
#include "tools/trace_input.hpp"
#include "tools/usage_error.hpp"

namespace memprof::tools {
namespace {

struct convert_options {
  std::string trace;
  reading_options reading;
  output_options output;
  std::string to;
  std::string under;
  std::string sample_type = "inuse_space";
  std::optional<int> version;
};

bool is_binary(std::string const& format) {
  return format == "pprof" || format == "otlp" || format == "memtrace";
}

void rewrite(convert_options const& o, analysis::reading& events, output_file& out) {
  trace::info info = events.info();
  info.version = written_version(info, o.version);
  rewriting copy(out, info,
                 [&](trace::location_code code) { return events.reader().locations(code); });
  for (trace::event e; events.next(e);) {
    copy.put_notes_of(events.reader());
    o.reading.recover ? copy.put_if_possible(e) : copy.put(e);
  }
  for (trace::interrupt const& i : events.reader().interrupts()) copy.put(i);
  copy.put_notes_of(events.reader());
  copy.close();
}

void write_table(convert_options const& o, std::shared_ptr<symbolize::resolver> names,
                 analysis::reading& events, std::ostream& out) {
  analysis::naming how;
  how.names = std::move(names);
  using format = exports::event_table::format;
  exports::event_table table(out, events.info(), o.to == "csv" ? format::csv : format::json,
                             std::move(how));
  for (trace::event e; events.next(e);) table.add(e, events.reader());
  table.finish();
}

void write_profile(convert_options const& o, std::shared_ptr<symbolize::resolver> names,
                   analysis::reading& events, std::ostream& out) {
  analysis::usage_options options;
  if (!o.under.empty()) options.chosen.inside.emplace_back(o.under);
  options.names = std::move(names);
  options.lives = o.to != "folded";
  options.by_size = o.to == "pprof" || o.to == "otlp";
  options.lifetimes = o.to == "dhat";
  analysis::usage_builder builder(events.info(), options);
  for (trace::event e; events.next(e);) builder.add(e, events.reader());
  const analysis::usage profile = builder.finish();
  if (o.to == "pprof") {
    exports::write_pprof(out, profile, events.reader(), o.sample_type.c_str());
  } else if (o.to == "otlp") {
    exports::write_otlp(out, profile, events.reader(), o.sample_type.c_str());
  } else if (o.to == "dhat") {
    exports::write_dhat(out, profile, events.info());
  } else if (o.to == "folded") {
    exports::write_folded(out, profile);
  } else {
    const std::string name =
        std::filesystem::path(
            analysis::program_name(events.info(), analysis::notes_of(events.reader())))
            .filename();
    exports::write_speedscope(out, profile, events.info(), name, MEMPROF_VERSION_STRING);
  }
}

void run_convert(convert_options const& o) {
  const bool table = o.to == "csv" || o.to == "json";
  if (o.version && o.to != "memtrace") throw usage_error("--version: only with --to memtrace");
  if (!o.under.empty() && (table || o.to == "memtrace")) {
    throw usage_error("--under: not with --to " + o.to);
  }
  if (is_binary(o.to) && o.output.file == "-" && ::isatty(STDOUT_FILENO) == 1) {
    throw usage_error(
        fmt::format("-o: --to {} is binary, and standard output is a terminal", o.to));
  }
  output_file out(o.output, {o.trace},
                  is_binary(o.to) ? output_file::content::bytes : output_file::content::text);
  trace_input input(o.trace, o.reading);
  auto events = input.open();
  if (o.to == "memtrace") {
    rewrite(o, events, out);
  } else {
    output_stream stream(out);
    const bool by_function = o.to == "folded" || o.to == "speedscope";
    const auto names = make_resolver(
        o.reading, by_function ? unnamed_code::by_function : unnamed_code::by_address);
    table ? write_table(o, names, events, stream) : write_profile(o, names, events, stream);
    stream.flush();
    say_notices(names.get(), o.reading);
  }
  out.commit();
}

}  // namespace

command add_convert_command(CLI::App& app) {
  const auto options = std::make_shared<convert_options>();
  convert_options& o = *options;
  CLI::App* const convert = app.add_subcommand(
      "convert", "For other tools: pprof, OpenTelemetry, speedscope, DHAT, tables");
  add_trace_argument(*convert, o.trace);
  convert->add_option("--to", o.to, "The format to write")
      ->required()
      ->check(CLI::IsMember(
          {"pprof", "otlp", "speedscope", "dhat", "folded", "csv", "json", "memtrace"}))
      ->type_name("pprof|otlp|speedscope|dhat|folded|csv|json|memtrace");
  convert->add_option("--version", o.version, "Of the format, with memtrace (default: as it was)")
      ->check(CLI::IsMember({2, 3}))
      ->type_name("2|3");
  convert
      ->add_option("--sample-type", o.sample_type,
                   "What pprof shows first, and which profile of otlp is first")
      ->check(CLI::IsMember({"alloc_objects", "alloc_space", "inuse_objects", "inuse_space"}))
      ->type_name("TYPE");
  convert
      ->add_option("--under", o.under,
                   "Profiles: only blocks with such a function in their backtrace: text that its "
                   "name contains, =NAME, or /REGEX/")
      ->type_name("FUNCTION");
  add_output_options(*convert, o.output);
  add_reading_options(*convert, o.reading);
  add_symbol_options(*convert, o.reading);
  convert->footer(
      "Examples:\n"
      "  memprof convert a.ctf --to pprof -o a.pb.gz && pprof -http=: a.pb.gz\n"
      "  memprof convert a.ctf --to dhat -o a.json      (open in Valgrind's dh_view.html)\n"
      "  memprof convert a.ctf --to otlp -o a.otlp      (OpenTelemetry's ProfilesData)\n"
      "  memprof convert a.ctf --to memtrace --version 2 -o old.ctf\n"
      "pprof and in-use profiles show what lives at the end of the trace; speedscope has the "
      "peak,\n"
      "too. csv and json hold every event. Memory: profiles grow with the different backtraces "
      "and\n"
      "with the blocks that live at once, tables with the different locations only.");
  return {convert, [options] {
            run_convert(*options);
            return 0;
          }};
}

}  // namespace memprof::tools
