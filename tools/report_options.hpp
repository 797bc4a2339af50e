// SPDX-License-Identifier: MIT
/// \file
/// The options that all commands share that report on the functions of a trace.
#pragma once

#include "tools/output_file.hpp"
#include "tools/selection_options.hpp"
#include "tools/text_report.hpp"
#include "tools/trace_input.hpp"

namespace CLI {
class App;
}

namespace memprof::tools {

///  - `all_frames`: frames of allocation functions and of the standard library are shown, too.
struct report_options {
  bool json = false;
  bool all_frames = false;
  selection_options chosen;
  name_option naming;
  colour_option colour;
  reading_options reading;
  output_options output;
};

/// --json, and what chooses blocks, names functions and reads traces. The command adds the trace's
/// argument and add_output_options before its own options, and calls this after them.
void add_report_options(CLI::App& app, report_options& options);

/// \param what without --all-frames: where those frames are not.
void add_all_frames_option(CLI::App& app, bool& option, char const* what = "which are left out");

}  // namespace memprof::tools
