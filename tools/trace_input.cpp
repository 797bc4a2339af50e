// SPDX-License-Identifier: MIT
#include "tools/trace_input.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <set>

#include "tools/message.hpp"
#include "tools/progress_bar.hpp"

namespace memprof::tools {

void add_reading_options(CLI::App& app, reading_options& options) {
  app.add_flag("--recover", options.recover,
               "Skip damage: report where it is, and continue with the next good packet");
  app.add_flag("-q,--quiet", options.quiet, "No notices and no progress on stderr");
  app.add_flag("--no-progress", options.no_progress, "No progress bar on stderr");
}

void add_symbol_options(CLI::App& app, reading_options& options) {
  app.add_flag("--no-symbols", options.no_symbols, "Show code as it is named in the trace");
  app.add_option("--debug-directory", options.debug_directories,
                 "Where to look for debug information, too (repeat for several)")
      ->type_name("DIR")
      ->allow_extra_args(false);
  add_debuginfod_option(app, options.debuginfod);
}

void add_debuginfod_option(CLI::App& app, bool& option) {
  app.add_flag("--debuginfod", option,
               "Fetch debug information that is not here from the servers in DEBUGINFOD_URLS")
      ->each([](std::string const&) {
        char const* const urls = std::getenv("DEBUGINFOD_URLS");
        if (urls == nullptr || *urls == '\0') {
          throw CLI::ValidationError("--debuginfod", "DEBUGINFOD_URLS names no server");
        }
      });
}

void add_trace_argument(CLI::App& app, std::string& file) {
  app.add_option("FILE", file, "The trace; - for standard input")->required()->type_name("");
}

struct trace_input::state {
  state(std::string const& file, reading_options const& o)
      : options(o), source(file, o.recover), bar(!o.quiet && !o.no_progress) {}

  void watch(trace::reader const& reader, bool done) {
    bar.show(reader.name(), reader.bytes_read(), reader.size_bytes(), done);
    if (!done || options.quiet) return;
    // A damaged trace may have hundreds of the same kind: "ID of no object at byte 123".
    std::map<std::string, std::vector<std::string const*>> kinds;
    for (std::string const& notice : reader.notices()) {
      if (!said.insert(notice).second) continue;
      kinds[notice.substr(0, notice.rfind(" at byte "))].push_back(&notice);
    }
    for (auto const& [kind, all] : kinds) {
      message(*all.front() +
              (all.size() == 1 ? "" : fmt::format(", and {} more like it", all.size() - 1)));
    }
  }

  reading_options options;
  analysis::trace_source source;
  progress_bar bar;
  std::set<std::string> said;
};

trace_input::trace_input(std::string const& file, reading_options const& options)
    : state_(std::make_unique<state>(file, options)) {
  state_->source.watch(
      [s = state_.get()](trace::reader const& reader, bool done) { s->watch(reader, done); });
}
trace_input::~trace_input() = default;

analysis::reading trace_input::open(bool backtraces) { return state_->source.open(backtraces); }
analysis::trace_source& trace_input::source() { return state_->source; }
std::string const& trace_input::name() const { return state_->source.name(); }
reading_options const& trace_input::options() const { return state_->options; }

}  // namespace memprof::tools
