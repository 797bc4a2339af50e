// SPDX-License-Identifier: MIT
#include "symbolize/symbolize.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <stdexcept>
#include <system_error>

#include "tools/commands.hpp"
#include "tools/message.hpp"
#include "tools/progress_bar.hpp"
#include "tools/trace_input.hpp"
#include "tools/usage_error.hpp"

namespace memprof::tools {
namespace {

namespace fs = std::filesystem;

struct symbolize_options {
  std::string file;
  std::string output;
  std::string sysroot;
  std::vector<std::string> debug_directories;
  bool in_place = false;
  bool force = false;
  bool debuginfod = false;
  bool no_inlines = false;
  bool full_names = false;
  bool quiet = false;
  bool no_progress = false;
};

int run_symbolize(symbolize_options const& o) {
  if (o.output.empty() != o.in_place) throw usage_error("symbolize: give -o FILE or --in-place");
  const fs::path out = o.in_place ? o.file : o.output;
  std::error_code error;
  if (!o.in_place && fs::equivalent(o.file, out, error)) {
    throw usage_error(fmt::format("symbolize: {} is the input: say --in-place", o.output));
  }
  if (!o.in_place && !o.force && fs::exists(out, error)) {
    throw std::runtime_error(o.output + " exists; --force replaces it");
  }
  symbolize::symbolize_trace_options options;
  options.names.debug_directories.insert(options.names.debug_directories.begin(),
                                         o.debug_directories.begin(), o.debug_directories.end());
  options.names.sysroot = o.sysroot;
  options.names.debuginfod = o.debuginfod;
  options.names.inlines = !o.no_inlines;
  options.names.shorten = !o.full_names;
  const std::uintmax_t size = fs::file_size(o.file, error);
  std::optional<std::uint64_t> total;
  if (!error) total = size;
  progress_bar bar{!o.no_progress && !o.quiet};
  options.progress = [&](std::uint64_t done) { bar.show("symbols", done, total, false); };
  const auto result = symbolize::symbolize_trace(o.file, out, options);
  if (o.quiet) return 0;
  for (std::string const& notice : result.notices) message(notice);
  return 0;
}

}  // namespace

command add_symbolize_command(CLI::App& app) {
  const auto options = std::make_shared<symbolize_options>();
  symbolize_options& o = *options;
  CLI::App* const sub =
      app.add_subcommand("symbolize", "Write the names of functions, files and lines into a trace");
  sub->add_option("FILE", o.file, "The trace")->required();
  sub->add_option("-o,--output", o.output, "The trace to write, all else as it was");
  sub->add_flag("--in-place", o.in_place, "Replace FILE, when the new one is whole");
  sub->add_flag("-f,--force", o.force, "Replace the output if it exists");
  sub->add_option("--debug-directory", o.debug_directories,
                  "Look for separate debug files here, too")
      ->allow_extra_args(false);
  add_debuginfod_option(*sub, o.debuginfod);
  sub->add_option("--sysroot", o.sysroot, "Modules and debug files are below this folder");
  sub->add_flag("--no-inlines", o.no_inlines, "Only functions that were compiled as such");
  sub->add_flag("--full-names", o.full_names,
                "Names with arguments and default template arguments");
  sub->add_flag("-q,--quiet", o.quiet, "No notices and no progress");
  sub->add_flag("--no-progress", o.no_progress, "No progress bar");
  sub->footer(
      "Examples:\n  memprof symbolize a.ctf -o named.ctf\n  memprof symbolize --in-place a.ctf\n"
      "Code whose module is gone, or is another build now, stays module+address.");
  return {sub, [options] { return run_symbolize(*options); }};
}

}  // namespace memprof::tools
