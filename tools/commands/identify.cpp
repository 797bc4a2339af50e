// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <memory>

#include "analysis/analysis.hpp"
#include "tools/commands.hpp"
#include "tools/json_report.hpp"
#include "tools/output_file.hpp"
#include "tools/trace_input.hpp"

namespace memprof::tools {
namespace {

struct identify_options {
  std::string file;
  reading_options reading;
  output_options output;
  bool json = false;
};

std::string json_of(analysis::identity const& i, std::string const& file) {
  trace::info const& info = i.info;
  const auto bytes = [&](std::uint64_t samples) {
    return json_number(info.bytes_of(static_cast<double>(samples)));
  };
  nlohmann::ordered_json j = json_report("identify");
  j["file"] = file;
  j["file_bytes"] = i.file_bytes;
  j["format_version"] = info.version;
  j["executable"] = info.executable_name;
  j["host"] = info.host_name;
  j["pid"] = info.pid;
  j["word_bits"] = info.word_bits;
  j["sample_rate"] = info.sample_rate;
  j["runtime_parameters"] = info.runtime_parameters;
  j["context"] = info.context;
  j["initial_domain"] = info.initial_domain;
  j["start_time_us"] = info.start_time.time_since_epoch().count();
  j["duration_us"] = i.latest.count();
  j["events"] = i.events;
  j["sampled_blocks"] = i.objects;
  j["samples"] = {{"minor", i.minor},
                  {"direct", i.direct},
                  {"promoted", i.promoted},
                  {"collected", i.collected},
                  {"at_most_4_words", i.sizes[0]},
                  {"at_most_16_words", i.sizes[1]},
                  {"at_most_256_words", i.sizes[2]}};
  j["estimated_bytes"] = {{"minor", bytes(i.minor)},
                          {"direct", bytes(i.direct)},
                          {"promoted", bytes(i.promoted)},
                          {"collected", bytes(i.collected)}};
  j["largest_block_words"] = i.largest_words;
  j["notes"] = json_notes(i.notes);
  return json_text(j);
}

int run_identify(identify_options const& o) {
  trace_input input(o.file, o.reading);
  output_file out(o.output, {o.file});
  const analysis::identity i = analysis::identify(input.source());
  out.write(o.json ? json_of(i, input.name()) : analysis::identity_text(i, input.name()));
  out.commit();
  return 0;
}

}  // namespace

command add_identify_command(CLI::App& app) {
  const auto options = std::make_shared<identify_options>();
  CLI::App* const sub =
      app.add_subcommand("identify", "Whose trace this is, with a few statistics");
  sub->footer(
      "Examples:\n  memprof identify a.ctf\n  memprof identify --json a.ctf\n"
      "Here kB, MB, ... are units of 1024, as in memtrace's own text.");
  add_trace_argument(*sub, options->file);
  add_output_options(*sub, options->output);
  sub->add_flag("--json", options->json, "Exact numbers, as JSON");
  add_reading_options(*sub, options->reading);
  return {sub, [options] { return run_identify(*options); }};
}

}  // namespace memprof::tools
