// SPDX-License-Identifier: MIT
/// \file
/// The trace that a command reads: its argument, the options that all such commands share, notices
/// and progress on stderr.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/analysis.hpp"

namespace CLI {
class App;
}

namespace memprof::tools {

/// What the shared options say.
struct reading_options {
  bool recover = false;
  bool quiet = false;
  bool no_progress = false;
  bool no_symbols = false;
  bool debuginfod = false;
  std::vector<std::string> debug_directories;
};

/// --recover, --quiet, --no-progress; of use to any command that reads traces.
void add_reading_options(CLI::App& app, reading_options& options);
/// --no-symbols, --debug-directory and --debuginfod, for commands that name functions.
void add_symbol_options(CLI::App& app, reading_options& options);
/// --debuginfod alone.
void add_debuginfod_option(CLI::App& app, bool& option);
/// The positional argument FILE, required.
void add_trace_argument(CLI::App& app, std::string& file);

/// A trace to read, once or several times, that shows progress and says what was odd about it.
///
///     trace_input input(o.file, o.reading);
///     auto events = input.open();
///     for (trace::event e; events.next(e);) ...
///
/// Notices ("a.ctf: the last packet is cut off") go to stderr, each once, when the trace was read
/// to its end, unless --quiet.
class trace_input {
 public:
  /// \param file "-": standard input.
  trace_input(std::string const& file, reading_options const& options);
  trace_input(trace_input const&) = delete;
  trace_input& operator=(trace_input const&) = delete;
  ~trace_input();

  /// One reading from the beginning. With several of them say so first: source().several().
  [[nodiscard]] analysis::reading open(bool backtraces = true);
  [[nodiscard]] analysis::trace_source& source();
  [[nodiscard]] std::string const& name() const;
  [[nodiscard]] reading_options const& options() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace memprof::tools
