// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "memprof/tracing.hpp"

#include "recorder/recorder.hpp"
#include "tools/amount.hpp"
#include "tools/attached_recording.hpp"
#include "tools/child_process.hpp"
#include "tools/commands.hpp"
#include "tools/finished_recording.hpp"
#include "tools/kill_cause.hpp"
#include "tools/live_view.hpp"
#include "tools/message.hpp"
#include "tools/preload_setting.hpp"
#include "tools/program_file.hpp"
#include "tools/recorded_files.hpp"
#include "tools/serving.hpp"
#include "tools/shell_words.hpp"
#include "tools/trace_input.hpp"
#include "tools/usage_error.hpp"

namespace memprof::tools {
namespace {

namespace fs = std::filesystem;

struct record_options {
  std::string file;
  std::optional<std::string> rate, context, callstack_size, pid, duration;
  bool children = false;
  finish_options finish;
  serving_options serving;
  std::vector<std::string> program;
};

/// As callstack_depth() says.
constexpr double most_frames = 4096;
constexpr double default_frames = 512;

/// \param program its name, without a folder.
std::string file_name(record_options const& o, std::string const& program) {
  if (o.file.empty()) return fmt::format("memprof.{}.%p.ctf", program);
  if (!o.children || o.file.find("%p") != std::string::npos) return o.file;
  fs::path name = o.file;  // a.ctf: a.%p.ctf
  const std::string extension = name.extension().string();
  name.replace_extension();
  return name.string() + ".%p" + extension;
}

environment_changes settings_of(record_options const& o, recorder::recording const& to) {
  environment_changes environment{to.environment(),
                                  {"LD_PRELOAD", preload_setting()},
                                  {"MEMTRACE", ""},
                                  {"MEMTRACE_RATE", o.rate.value_or("")}};
  if (o.callstack_size) environment.emplace_back("MEMPROF_CALLSTACK_DEPTH", *o.callstack_size);
  return environment;
}

double rate_of(record_options const& o) {
  if (!o.rate) return default_trace_rate.per_word();
  const double rate = parse_number("--rate", *o.rate);
  if (!(rate > 0.0 && rate <= 1.0)) {
    throw usage_error(fmt::format("--rate: {} is not in (0, 1]", *o.rate));
  }
  return rate;
}

double frames_of(record_options const& o) {
  if (!o.callstack_size) return default_frames;
  const double frames = parse_number("--callstack-size", *o.callstack_size);
  if (!(frames >= 0 && frames <= most_frames && frames == std::floor(frames))) {
    throw usage_error(fmt::format("--callstack-size: {} is no whole number from 0 to {}",
                                  *o.callstack_size, most_frames));
  }
  return frames;
}

std::optional<double> seconds_of(record_options const& o) {
  if (!o.duration) return {};
  const double seconds = parse_number("--duration", *o.duration);
  if (!(seconds > 0.0))
    throw usage_error(fmt::format("--duration: {} is not above 0", *o.duration));
  return seconds;
}

int run_attached(record_options const& o) {
  if (!o.program.empty()) {
    throw usage_error("record: either --pid, or a program to run: " + o.program.front());
  }
  const pid_t process = parse_pid(*o.pid);
  const attached_options wanted{.wish = {.rate = rate_of(o),
                                         .callstack_size = static_cast<std::uint32_t>(frames_of(o)),
                                         .children = o.children,
                                         .despite_filter = o.finish.force},
                                .seconds = seconds_of(o),
                                .context = o.context.value_or(""),
                                .finish = o.finish};
  const recorded_files files(file_name(o, program_name_of(process)), o.finish.force);
  if (o.finish.serve && files.direct())
    throw usage_error("--serve: the trace must be a plain file");
  live_view view(
      files, {.serving = o.serving, .quiet = o.finish.quiet, .no_symbols = o.finish.no_symbols});
  return record_attached(process, wanted, files, view);
}

int run_record(record_options const& o) {
  if (o.pid) return run_attached(o);
  if (o.duration) throw usage_error("--duration: only with --pid");
  if (o.program.empty()) {
    throw usage_error(
        "record: which program? memprof record -- PROGRAM ARGUMENTS, or memprof record --pid PID");
  }
  rate_of(o);
  frames_of(o);
  std::string const& name = o.program.front();
  const auto program = find_program(name);
  if (!program) {
    message(name + ": there is no such program");
    return 127;
  }
  if (const std::string why = why_not_preloaded(*program); !why.empty()) {
    message(fmt::format("{} cannot be traced: {}", name, why));
    return 126;
  }
  if (has_own_malloc(*program)) {
    say(o.finish,
        fmt::format("{} has a malloc of its own, which is not replaced: blocks from it are not "
                    "seen, only those of "
                    "operator new and of libraries that bring their own",
                    name));
  }
  const recorded_files files(file_name(o, fs::path(name).filename().string()), o.finish.force);
  if (o.finish.serve && files.direct())
    throw usage_error("--serve: the trace must be a plain file");
  live_view view(
      files, {.serving = o.serving, .quiet = o.finish.quiet, .no_symbols = o.finish.no_symbols});
  recorder::recording to(
      {.children = o.children,
       .attached = {},
       .command = quoted(o.program),
       .context = o.context.value_or(""),
       .file_of = [&](std::string const& process) { return files.of(process).written.string(); },
       .file_is_there = files.direct(),
       .sink_of = {},
       .after_look = no_room_notice(to)});
  const kill_cause cause;
  const child_end end = run_child(o.program, settings_of(o, to),
                                  {.in_child = [&] { to.enter_first_process(); },
                                   .started =
                                       [&](pid_t process) {
                                         to.begin(process);
                                         if (o.finish.serve) view.begin(process);
                                       },
                                   .takes = {},
                                   .stopping = {},
                                   .continued = {}});
  const std::string how = ended_text(end, cause);
  to.first_process_ended(how, end.resident);
  if (end.exec_error != 0) {
    message(fmt::format("{} cannot be run: {}", name, std::strerror(end.exec_error)));
    return exit_status_of(end);
  }
  if (end.signalled) {
    say(o.finish, fmt::format("{} was ended by {}", name, how));
  }
  wait_for_children(o.finish, to, name);
  const recorder::recording_result result = to.finish();
  const int status = exit_status_of(end);
  const auto finished = finish_all(o.finish, files, result, end.process);
  report_others(o.finish, result);
  if (!finished.empty()) {
    if (!files.direct()) view.follow(finished.front().wanted.string());
    view.wait();
    return status;
  }
  if (result.could_not_map == 0 && !has_failed(result)) {
    message(fmt::format("nothing was traced: {} did not load {}, or ended before", name,
                        preload_library_name));
  }
  return status != 0 ? status : 1;
}

}  // namespace

command add_record_command(CLI::App& app) {
  const auto o = std::make_shared<record_options>();
  CLI::App* const sub =
      app.add_subcommand("record", "Trace the allocations of a program: run it, or attach to it");
  sub->footer(
      "Examples:\n  memprof record -- ./server --port 80\n"
      "  memprof record -o build.%p.ctf --children --rate 1e-5 -- make\n"
      "  memprof record --serve --open -- ./server\n"
      "  memprof record --pid 4711 --duration 60 -o now.ctf\n"
      "The exit status is the program's; 128 + n if signal n ended it, 127 if it was not found,\n"
      "126 if it cannot be run or traced. With --pid: 0, or 1 if nothing was recorded.\n"
      "\n"
      "A process can be attached to if it has the library: it is linked with memprof::memprof, or\n"
      "runs with LD_PRELOAD=libmemprof-preload.so. You need the right to debug it: its user id, "
      "and\n"
      "kernel.yama.ptrace_scope 0, or CAP_SYS_PTRACE (root). Ctrl-C or --duration ends the\n"
      "recording, and the program goes on without. Blocks that it had before are not in the "
      "trace.");
  sub->add_option("-o,--output", o->file,
                  "The trace; %p in it stands for the process id (default memprof.PROGRAM.%p.ctf)")
      ->type_name("FILE");
  sub->add_option("--rate", o->rate, "Samples per word, in (0, 1] (default 1e-6: one for 8 MB)")
      ->type_name("R");
  sub->add_option("--context", o->context, "A text that stands in the trace")->type_name("TEXT");
  sub->add_option("--callstack-size", o->callstack_size,
                  "Frames kept of a stack, the innermost (default 512, at most 4096)")
      ->type_name("N");
  sub->add_option("--pid", o->pid, "Attach to this process, instead of running a program")
      ->type_name("PID");
  sub->add_option("--duration", o->duration, "With --pid: ends the recording after so long")
      ->type_name("SECONDS");
  sub->add_flag("--children", o->children,
                "Trace the programs that it starts, too, each to its own file (with --pid: the "
                "children that it forks)");
  sub->add_flag("-f,--force", o->finish.force,
                "Overwrite the trace if it exists; with --pid, also attach under a seccomp filter");
  sub->add_flag("--no-symbols", o->finish.no_symbols,
                "Leave addresses in the trace; `symbolize` can name them later");
  add_debuginfod_option(*sub, o->finish.debuginfod);
  sub->add_flag("--serve", o->finish.serve,
                "Look at the trace in a browser while the program runs");
  add_serving_options(*sub, o->serving);
  sub->add_flag("-q,--quiet", o->finish.quiet, "No summary on standard error");
  sub->add_option("PROGRAM", o->program, "What to run, with its arguments")->expected(-1);
  return {sub, [o] { return run_record(*o); }};
}

}  // namespace memprof::tools
