// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include "recorder/recorder.hpp"
#include "tools/amount.hpp"
#include "tools/child_process.hpp"
#include "tools/commands.hpp"
#include "tools/finished_recording.hpp"
#include "tools/kill_cause.hpp"
#include "tools/message.hpp"
#include "tools/preload_setting.hpp"
#include "tools/program_file.hpp"
#include "tools/run/control_group.hpp"
#include "tools/run/limit_watch.hpp"
#include "tools/run/process_status.hpp"
#include "tools/run/report_writer.hpp"
#include "tools/run/request_server.hpp"
#include "tools/run/run_options.hpp"
#include "tools/shell_words.hpp"
#include "tools/usage_error.hpp"

namespace memprof::tools {
namespace {

namespace fs = std::filesystem;

/// As timeout(1) has it.
constexpr int ended_by_limit = 124;

/// The estimate of live memory at the limit comes from so many samples: its standard deviation is
/// 1 %. A limit below 80 MB has fewer, so that samples do not cost too much.
constexpr double samples_at_limit = 10'000;
constexpr double most_rate = 1e-3;
constexpr double least_memory = 1 << 20;

struct run_arguments {
  std::string memory, action = "report", soft = "0.8", grace = "10";
  std::optional<std::string> rate;
  bool resident = false;
  bool own_group = false;
  bool quiet = false;
  std::string output;
  std::string listen, token_file;
  std::vector<std::string> program;
};

limit_action action_of(std::string const& text) {
  if (text == "refuse") return limit_action::refuse;
  if (text == "term") return limit_action::term;
  if (text == "abort") return limit_action::abort;
  return text == "pause" ? limit_action::pause : limit_action::report;
}

/// The number of an option, in (0, most].
double number_in(std::string_view option, std::string const& text, double most) {
  const double number = parse_number(option, text);
  if (number > 0.0 && number <= most) return number;
  throw usage_error(fmt::format("{}: {} is not in (0, {}]", option, text, most));
}

run_options options_of(run_arguments const& a) {
  run_options o;
  o.memory = static_cast<double>(parse_amount("--memory", a.memory).count());
  if (o.memory < least_memory) {
    throw usage_error(fmt::format("--memory: {} is less than 1 MiB", a.memory));
  }
  o.soft = number_in("--soft", a.soft, 1);
  o.rate = a.rate ? number_in("--rate", *a.rate, 1)
                  : std::min(samples_at_limit / (o.memory / 8), most_rate);
  if (a.resident) o.counted = counted_memory::resident;
  if (a.own_group) o.counted = counted_memory::group;
  o.action = action_of(a.action);
  o.grace = std::chrono::milliseconds(std::lround(1000 * number_in("--grace", a.grace, 86'400)));
  o.output = a.output;
  o.with_sums = !a.listen.empty();
  return o;
}

environment_changes settings_of(run_options const& o, recorder::recording const& to) {
  return {to.environment(),
          {"LD_PRELOAD", preload_setting()},
          {"MEMTRACE", ""},
          {"MEMTRACE_RATE", fmt::format("{}", o.rate)}};
}

/// Runs it until the program and the processes that it has started have ended.
int run_limited(run_arguments const& a, run_options const& o) {
  std::string const& name = a.program.front();
  const finish_options talk{.quiet = a.quiet};
  std::optional<request_server> requests;
  if (!a.listen.empty()) requests.emplace(a.listen, a.token_file);
  std::optional<control_group> group;
  if (a.own_group) group.emplace(static_cast<std::uint64_t>(o.memory));
  kill_cause cause(group ? group->kills() : fs::path{});
  report_writer reports;
  limit_watch watch(o, cause, reports, group ? &*group : nullptr);
  recorder::recording to(
      {.children = true,
       .attached = {},
       .command = quoted(a.program),
       .context = {},
       .file_of = {},
       .sink_of = [&](pid_t process) { return watch.sink_of(process); },
       .after_look = [&](std::vector<pid_t> const& living) { return watch.after_look(living); }});
  watch.prepare(to);
  pid_t program = 0;
  const auto started = [&](pid_t process) {
    program = process;
    reports.begin(!o.output.empty()
                      ? o.output
                      : fmt::format("memprof.{}.{}", fs::path(name).filename().string(), process));
    watch.started(process);
    to.begin();
    if (requests) {
      say(talk, "listening on " + requests->begin(watch, a.program));
    }
  };
  const auto takes = [&](int signal) {
    if (signal != SIGUSR2 || handles_signal(program, SIGUSR2)) return false;
    watch.ask_for_report();
    return true;
  };
  const auto in_child = [&] {
    to.enter_first_process();
    if (group && !group->enter()) {
      message("the program could not enter its control group");
      _exit(126);
    }
  };
  const child_end end = run_child(a.program, settings_of(o, to),
                                  {.in_child = in_child,
                                   .started = started,
                                   .takes = takes,
                                   .stopping = [&] { reports.wait(); },
                                   .continued = [&] { watch.continued(); }});
  const std::string how = ended_text(end, cause);
  watch.program_ended(end.signalled ? end.number : 0);
  to.first_process_ended(how, end.resident);
  if (end.exec_error != 0) {
    watch.jobs()->end();
    message(fmt::format("{} cannot be run: {}", name, std::strerror(end.exec_error)));
    return exit_status_of(end);
  }
  wait_for_children(talk, to, name);
  const recorder::recording_result result = to.finish();
  watch.jobs()->end();
  requests.reset();
  reports.wait();
  if (end.signalled) say(talk, fmt::format("{} was ended by {}", name, how));
  if (!watch.has_seen_any() && result.could_not_map == 0) {
    message(fmt::format("what {} had from malloc is not known: it did not load {}, or ended before",
                        name, preload_library_name));
  }
  report_others(talk, result);
  if (const auto n = to.refused().number; n > 0) {
    say(talk, fmt::format("{} request{} refused", n, n == 1 ? " was" : "s were"));
  }
  return watch.has_ended_it() ? ended_by_limit : exit_status_of(end);
}

int run_run(run_arguments const& a) {
  const run_options o = options_of(a);
  if (a.program.empty()) {
    throw usage_error("run: which program? memprof run --memory 2GiB -- PROGRAM ARGUMENTS");
  }
  std::string const& name = a.program.front();
  const auto program = find_program(name);
  if (!program) {
    message(name + ": there is no such program");
    return 127;
  }
  if (const std::string why = why_not_preloaded(*program); !why.empty()) {
    message(fmt::format("{} cannot be limited: {}", name, why));
    return 126;
  }
  return run_limited(a, o);
}

}  // namespace

command add_run_command(CLI::App& app) {
  const auto arguments = std::make_shared<run_arguments>();
  run_arguments& a = *arguments;
  CLI::App* const sub = app.add_subcommand(
      "run", "Run a program under a memory limit, with reports of who holds the memory");
  sub->footer(
      "Examples:\n"
      "  memprof run --memory 2GiB -- ./server --port 80\n"
      "  memprof run --memory 500MiB --on-limit term -- python3 job.py\n"
      "  memprof run --memory 4GiB --resident --on-limit pause -- make\n"
      "  kill -USR2 PID        (of memprof run: a report now)\n"
      "A report goes to standard error and to FILE.1.txt, its profile for pprof to FILE.1.pb.gz,\n"
      "the next to FILE.2. Its first line names the function that holds most. There is one at the\n"
      "soft limit, at the limit, on SIGUSR2 (which the program gets instead, if it handles it),\n"
      "when a control group around it is nearly full or programs wait for memory (PSI), and when\n"
      "the kernel has killed the program for lack of memory.\n"
      "\n"
      "What counts is the memory that the program and the processes it starts have from malloc,\n"
      "estimated from samples. Limits are taken for passed when it surely is over them: wrongly\n"
      "in one run of a million, and 5 to 10 % above the limit as a rule (more below 80 MB).\n"
      "--resident counts what is in memory instead, exactly; pages that processes share count for\n"
      "each of them. Without it one report says so when memory that is not from malloc has\n"
      "passed the limit, and nothing is ended. --cgroup makes a control group for the program:\n"
      "at the limit the kernel slows it down, and there is a report; the kernel kills at nine\n"
      "eighths of the limit.\n"
      "\n"
      "--listen answers /debug/pprof/heap, allocs and /metrics for the program, from outside of "
      "it.\n"
      "\n"
      "--on-limit says what happens at the limit, besides the report:\n"
      "  report   nothing; the next one when it has grown by half\n"
      "  refuse   from the start on malloc returns null, and operator new throws bad_alloc, for\n"
      "           large requests that have no room under the limit; small ones are granted\n"
      "  term     SIGTERM to all processes, and SIGKILL after --grace\n"
      "  abort    SIGABRT to all, for core files; SIGKILL after --grace\n"
      "  pause    SIGSTOP to all, until `kill -CONT`; again when it has grown by half\n"
      "The exit status is 124 if the limit ended the program, else the program's; 128 + n if\n"
      "signal n ended it, 127 if it was not found, 126 if it cannot be run or limited.");
  sub->add_option("--memory", a.memory, "The limit: 200MiB, 2GiB, ...")
      ->required()
      ->type_name("SIZE");
  sub->add_flag("--resident", a.resident, "What is in memory counts, not what is live by malloc");
  sub->add_flag("--cgroup", a.own_group,
                "What a control group made for the program has counts, and the kernel keeps it")
      ->excludes("--resident");
  sub->add_option("--on-limit", a.action, "What happens at the limit (default report)")
      ->type_name("report|refuse|term|abort|pause")
      ->check(CLI::IsMember({"report", "refuse", "term", "abort", "pause"}));
  sub->add_option("--soft", a.soft, "The soft limit, a part of the limit, in (0, 1] (default 0.8)")
      ->type_name("PART");
  sub->add_option("--grace", a.grace, "From SIGTERM or SIGABRT to SIGKILL (default 10)")
      ->type_name("SECONDS");
  sub->add_option("--rate", a.rate,
                  "Samples per word, in (0, 1] (default: 10000 at the limit, at most 1e-3)")
      ->type_name("R");
  sub->add_option("-o,--output", a.output,
                  "Names of reports begin with this (default memprof.PROGRAM.PID)")
      ->type_name("FILE");
  sub->add_option("--listen", a.listen,
                  "Answer requests for profiles and metrics: 127.0.0.1:PORT (0: a free one), "
                  "[::1]:PORT, unix:PATH")
      ->type_name("ADDRESS");
  sub->add_option(
         "--token-file", a.token_file,
         "Its first line is the bearer token that requests need; for other addresses a must")
      ->needs("--listen")
      ->type_name("FILE");
  sub->add_flag("-q,--quiet", a.quiet, "Reports, and nothing else on standard error");
  sub->add_option("PROGRAM", a.program, "What to run, with its arguments: after --")->expected(-1);
  return {sub, [arguments] { return run_run(*arguments); }};
}

}  // namespace memprof::tools
