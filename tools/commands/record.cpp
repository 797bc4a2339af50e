// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "recorder/recorder.hpp"
#include "symbolize/symbolize.hpp"
#include "tools/amount.hpp"
#include "tools/child_process.hpp"
#include "tools/commands.hpp"
#include "tools/kill_cause.hpp"
#include "tools/live_view.hpp"
#include "tools/message.hpp"
#include "tools/preload_setting.hpp"
#include "tools/program_file.hpp"
#include "tools/recorded_files.hpp"
#include "tools/recorded_summary.hpp"
#include "tools/serving.hpp"
#include "tools/shell_words.hpp"
#include "tools/usage_error.hpp"

namespace memprof::tools {
namespace {

namespace fs = std::filesystem;

struct record_options {
  std::string file;
  std::optional<std::string> rate, context, callstack_size;
  bool children = false;
  bool force = false;
  bool quiet = false;
  bool no_symbols = false;
  bool serve = false;
  serving_options serving;
  std::vector<std::string> program;
};

/// As callstack_depth() says.
constexpr double most_frames = 4096;

std::string file_name(record_options const& o) {
  if (o.file.empty())
    return fmt::format("memprof.{}.%p.ctf", fs::path(o.program.front()).filename().string());
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

void say(record_options const& o, std::string const& text) {
  if (!o.quiet) message(text);
}

/// The file under its own name, with symbols in it. What goes wrong with these leaves it as it is.
///
/// first       of several, says what to do next.
void finish(record_options const& o, recorded_file const& file, bool first) {
  bool named = false;
  if (!o.no_symbols) {
    try {
      symbolize::symbolize_trace(file.written, file.wanted);
      fs::permissions(file.wanted, fs::status(file.written).permissions());  // ours alone
      fs::remove(file.written);
      named = true;
    } catch (std::exception const& e) {
      message(fmt::format("no symbols are in the trace: {}", e.what()));
    }
  }
  if (!named) fs::rename(file.written, file.wanted);
  recorded_summary const summary = summarize(file.wanted);
  say(o, fmt::format("trace {}: {}", fs::proximate(file.wanted).string(), summary_text(summary)));
  if (!first) return;
  if (const std::string better = better_rate(summary); !better.empty()) say(o, better);
  if (summary.samples == 0 || o.serve) return;
  const std::string name = quoted({fs::proximate(file.wanted).string()});
  say(o, fmt::format("next: memprof top {0}, or in a browser: memprof serve {0}", name));
}

void report(recorder::recorded_process const& p, fs::path const& file) {
  if (!p.failure.empty()) message(p.failure);
  if (p.dropped != 0) {
    message(
        fmt::format("trace {}: {} sampled blocks or interrupts are missing, they came faster "
                    "than they could be written",
                    fs::proximate(file).string(), p.dropped));
  }
}

std::string how_many(std::size_t number, bool at_least, char const* one, char const* many) {
  return fmt::format("{}{} {}", at_least ? "at least " : "", number,
                     number == 1 && !at_least ? one : many);
}

/// The traces that there are, the one of the program first.
std::vector<recorded_file> finish_all(record_options const& o, recorded_files const& files,
                                      recorder::recording_result result, pid_t program) {
  std::vector<recorded_file> finished;
  std::size_t empty = 0;
  std::ranges::sort(result.processes, {}, [&](recorder::recorded_process const& p) {
    return std::tuple(p.process != program, p.process, p.name);
  });
  for (recorder::recorded_process const& p : result.processes) {
    recorded_file const file = files.of(p.name);
    report(p, file.wanted);
    if (!files.direct() && !p.sampled && p.process != program && fs::exists(file.written)) {
      fs::remove(file.written);
      ++empty;
      continue;
    }
    if (files.direct()) {
      finished.push_back(file);
    } else if (!fs::exists(file.written)) {
      continue;  // it could not be opened
    } else if (fs::file_size(file.written) == 0) {
      fs::remove(file.written);
    } else if (fs::exists(file.wanted) && !o.force) {
      message(fmt::format("{} exists by now; the trace is {}", file.wanted.string(),
                          file.written.string()));
      finished.push_back({file.written, file.written});
    } else {
      finish(o, file, finished.empty());
      finished.push_back(file);
    }
  }
  if (empty != 0) {
    say(o, fmt::format("{} no trace", how_many(empty, false, "other process took no sample and has",
                                               "other processes took no sample and have")));
  }
  return finished;
}

/// Processes without a trace.
void report_others(record_options const& o, recorder::recording_result const& result) {
  if (result.others != 0) {
    say(o, fmt::format("{} not traced: --children", how_many(result.others, result.others_at_least,
                                                             "child was", "children were")));
  }
  if (result.no_room != 0) {
    message(fmt::format("{} not traced: too many ran at once",
                        how_many(result.no_room, false, "process was", "processes were")));
  }
  if (result.could_not_map != 0) {
    message(fmt::format("a process could not be traced, because it may not map our memory: {}",
                        std::strerror(result.could_not_map)));
  }
}

/// Waits for the processes that are still recorded when the program has ended, until the user ends
/// that.
void wait_for_children(record_options const& o, recorder::recording& to) {
  if (to.wait_for(std::chrono::milliseconds(1500))) return;
  end_signals signals;
  bool said = false;
  while (!to.wait_for(std::chrono::milliseconds(100))) {
    if (signals.came()) return;
    std::string processes;
    for (const pid_t p : to.living()) processes += fmt::format(" {}", p);
    if (said || processes.empty()) continue;
    say(o, fmt::format("{} has ended; processes that it started are still traced, until they end "
                       "or Ctrl-C is pressed:{}",
                       o.program.front(), processes));
    said = true;
  }
}

std::string ended_text(child_end const& end, kill_cause const& cause) {
  if (!end.signalled) return fmt::format("exit {}", end.number);
  return fmt::format("signal {} ({}){}", end.number, strsignal(end.number), cause.of(end.number));
}

int run_record(record_options const& o) {
  if (o.program.empty())
    throw usage_error("record: which program? memprof record -- PROGRAM ARGUMENTS");
  if (o.rate) {
    const double rate = parse_number("--rate", *o.rate);
    if (!(rate > 0.0 && rate <= 1.0)) {
      throw usage_error(fmt::format("--rate: {} is not in (0, 1]", *o.rate));
    }
  }
  std::string const& name = o.program.front();
  if (o.callstack_size) {
    const double frames = parse_number("--callstack-size", *o.callstack_size);
    if (!(frames >= 0 && frames <= most_frames && frames == std::floor(frames))) {
      throw usage_error(fmt::format("--callstack-size: {} is no whole number from 0 to {}",
                                    *o.callstack_size, most_frames));
    }
  }
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
    say(o, fmt::format("{} has a malloc of its own, which is not replaced: blocks from it are not "
                       "seen, only those of "
                       "operator new and of libraries that bring their own",
                       name));
  }
  const recorded_files files(file_name(o), o.force);
  if (o.serve && files.direct()) throw usage_error("--serve: the trace must be a plain file");
  live_view view(files, {.serving = o.serving, .quiet = o.quiet, .no_symbols = o.no_symbols});
  recorder::recording to(
      {.children = o.children,
       .command = quoted(o.program),
       .context = o.context.value_or(""),
       .file_of = [&](std::string const& process) { return files.of(process).written.string(); }});
  const kill_cause cause;
  const child_end end = run_child(
      o.program, settings_of(o, to), [&] { to.enter_first_process(); },
      [&](pid_t process) {
        to.begin();
        if (o.serve) view.begin(process);
      });
  const std::string how = ended_text(end, cause);
  to.first_process_ended(how, end.resident);
  if (end.exec_error != 0) {
    message(fmt::format("{} cannot be run: {}", name, std::strerror(end.exec_error)));
    return exit_status_of(end);
  }
  if (end.signalled) {
    say(o, fmt::format("{} was ended by {}", name, how));
  }
  wait_for_children(o, to);
  const recorder::recording_result result = to.finish();
  const int status = exit_status_of(end);
  const auto finished = finish_all(o, files, result, end.process);
  report_others(o, result);
  if (!finished.empty()) {
    if (!files.direct()) view.follow(finished.front().wanted.string());
    view.wait();
    return status;
  }
  if (result.could_not_map == 0) {
    message(fmt::format("nothing was traced: {} did not load {}, or ended before", name,
                        preload_library_name));
  }
  return status != 0 ? status : 1;
}

}  // namespace

command add_record_command(CLI::App& app) {
  const auto o = std::make_shared<record_options>();
  CLI::App* const sub = app.add_subcommand("record", "Run a program and trace its allocations");
  sub->footer(
      "Examples:\n  memprof record -- ./server --port 80\n"
      "  memprof record -o build.%p.ctf --children --rate 1e-5 -- make\n"
      "  memprof record --serve --open -- ./server\n"
      "The exit status is the program's; 128 + n if signal n ended it, 127 if it was not found,\n"
      "126 if it cannot be run or traced.");
  sub->add_option("-o,--output", o->file,
                  "The trace; %p in it stands for the process id (default memprof.PROGRAM.%p.ctf)")
      ->type_name("FILE");
  sub->add_option("--rate", o->rate, "Samples per word, in (0, 1] (default 1e-6: one for 8 MB)")
      ->type_name("R");
  sub->add_option("--context", o->context, "A text that stands in the trace")->type_name("TEXT");
  sub->add_option("--callstack-size", o->callstack_size,
                  "Frames kept of a stack, the innermost (default 512, at most 4096)")
      ->type_name("N");
  sub->add_flag("--children", o->children,
                "Trace the programs that it starts, too, each to its own file");
  sub->add_flag("-f,--force", o->force, "Overwrite the trace if it exists");
  sub->add_flag("--no-symbols", o->no_symbols,
                "Leave addresses in the trace; `symbolize` can name them later");
  sub->add_flag("--serve", o->serve, "Look at the trace in a browser while the program runs");
  add_serving_options(*sub, o->serving);
  sub->add_flag("-q,--quiet", o->quiet, "No summary on standard error");
  sub->add_option("PROGRAM", o->program, "What to run, with its arguments: after --")->expected(-1);
  return {sub, [o] { return run_record(*o); }};
}

}  // namespace memprof::tools
