// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>

#include "tools/amount.hpp"
#include "tools/commands.hpp"
#include "tools/json_report.hpp"
#include "tools/output_file.hpp"
#include "tools/rewriting.hpp"
#include "tools/thinning.hpp"
#include "tools/trace_input.hpp"
#include "tools/usage_error.hpp"

namespace memprof::tools {
namespace {

struct subsample_options {
  std::string trace;
  reading_options reading;
  output_options output;
  double factor = 1;
  std::optional<double> from, to;
  std::uint64_t seed = 1;
  std::optional<int> version;
  bool json = false;
};

using std::chrono::microseconds;

microseconds time_of(char const* option, double seconds) {
  if (!(seconds >= 0) || seconds > 9e12) {
    throw usage_error(std::string(option) + ": a time in seconds, 0 or more");
  }
  return microseconds{std::llround(seconds * 1e6)};
}

void run_subsample(subsample_options const& o) {
  if (!(o.factor >= 1) || !std::isfinite(o.factor)) {
    throw usage_error("--factor: a number of 1 or more");
  }
  const microseconds from = time_of("--from", o.from.value_or(0));
  const microseconds to = o.to ? time_of("--to", *o.to) : microseconds::max();
  if (from >= to) throw usage_error("--to: must be after --from");
  if (o.json && o.output.file == "-") throw usage_error("--json: needs -o FILE");

  output_file out(o.output, {o.trace}, output_file::content::bytes);
  trace_input input(o.trace, o.reading);
  auto events = input.open();
  trace::info info = events.info();
  info.version = written_version(info, o.version);
  info.sample_rate /= o.factor;
  rewriting copy(out, info,
                 [&](trace::location_code code) { return events.reader().locations(code); });
  thinning thin(1 / o.factor, o.seed);
  std::uint64_t read = 0;
  for (trace::event e; events.next(e);) {
    copy.put_notes_of(events.reader());
    if (e.kind == trace::event_kind::allocation) {
      ++read;
      if (e.time < from || e.time >= to) continue;
      e.n_samples = thin(e.n_samples);
      if (e.n_samples == 0) continue;
    }
    o.reading.recover ? copy.put_if_possible(e) : copy.put(e);
  }
  for (trace::interrupt const& i : events.reader().interrupts()) {
    if (i.time >= from && i.time < to) copy.put(i);
  }
  copy.put_notes_of(events.reader());
  copy.close();
  out.commit();
  if (!o.json) return;
  output_file report(output_options{});
  auto r = json_report("subsample");
  r["blocks_read"] = read;
  r["blocks_written"] = copy.written().allocations;
  r["samples_written"] = copy.written().samples;
  r["sample_rate"] = info.sample_rate;
  report.write(json_text(r));
  report.commit();
}

}  // namespace

command add_subsample_command(CLI::App& app) {
  const auto options = std::make_shared<subsample_options>();
  subsample_options& o = *options;
  CLI::App* const subsample =
      app.add_subcommand("subsample", "A smaller trace: fewer samples, or a part of the time");
  add_trace_argument(*subsample, o.trace);
  subsample
      ->add_option("-F,--factor", o.factor,
                   "Keep each sample with a chance of 1/F; the rate is divided by F (default 1)")
      ->type_name("F");
  subsample->add_option("--from", o.from, "Only blocks allocated at this time or later, in seconds")
      ->type_name("SECONDS");
  subsample->add_option("--to", o.to, "Only blocks allocated before this time, in seconds")
      ->type_name("SECONDS");
  subsample->add_option("--seed", o.seed, "Another choice of samples (default 1)");
  subsample->add_option("--version", o.version, "Of the format to write (default: as it was)")
      ->check(CLI::IsMember({2, 3}))
      ->type_name("2|3");
  subsample->add_flag("--json", o.json, "Say on standard output what was written, as JSON");
  add_output_options(*subsample, o.output, true);
  add_reading_options(*subsample, o.reading);
  subsample->footer(
      "Examples:\n"
      "  memprof subsample a.ctf -o small.ctf --factor 10\n"
      "  memprof subsample a.ctf -o start.ctf --to 5\n"
      "A block keeps some of its samples, all or none; estimates stay unbiased. What is kept "
      "keeps\n"
      "its promotion and its end, also after --to. Memory grows with the blocks that live at "
      "once.");
  return {subsample, [options] {
            run_subsample(*options);
            return 0;
          }};
}

}  // namespace memprof::tools
