// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tools/amount.hpp"
#include "tools/commands.hpp"
#include "tools/message.hpp"
#include "tools/preload_setting.hpp"
#include "tools/program_file.hpp"
#include "tools/run/limited_run.hpp"
#include "tools/run/run_options.hpp"
#include "tools/usage_error.hpp"

namespace memprof::tools {
namespace {

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
  run_options options;  ///< those that are taken as they are
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
  run_options o = a.options;
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
  return o;
}

int run_run(run_arguments const& a) {
  const run_options o = options_of(a);
  if (o.program.empty()) {
    throw usage_error("run: which program? memprof run --memory 2GiB -- PROGRAM ARGUMENTS");
  }
  std::string const& name = o.program.front();
  const auto program = find_program(name);
  if (!program) {
    message(name + ": there is no such program");
    return 127;
  }
  if (const std::string why = why_not_preloaded(*program); !why.empty()) {
    message(fmt::format("{} cannot be limited: {}", name, why));
    return 126;
  }
  return run_limited(o);
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
  sub->add_option("-o,--output", a.options.output,
                  "Names of reports begin with this (default memprof.PROGRAM.PID)")
      ->type_name("FILE");
  sub->add_option("--listen", a.options.listen,
                  "Answer requests for profiles and metrics: 127.0.0.1:PORT (0: a free one), "
                  "[::1]:PORT, unix:PATH")
      ->type_name("ADDRESS");
  sub->add_option(
         "--token-file", a.options.token_file,
         "Its first line is the bearer token that requests need; required unless --listen is local")
      ->needs("--listen")
      ->type_name("FILE");
  sub->add_flag("-q,--quiet", a.options.quiet, "Reports, and nothing else on standard error");
  sub->add_option("PROGRAM", a.options.program, "What to run, with its arguments")->expected(-1);
  return {sub, [arguments] { return run_run(*arguments); }};
}

}  // namespace memprof::tools
