// SPDX-License-Identifier: MIT
#include "tools/run/limited_run.hpp"

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "recorder/recorder.hpp"
#include "tools/child_process.hpp"
#include "tools/finished_recording.hpp"
#include "tools/kill_cause.hpp"
#include "tools/message.hpp"
#include "tools/preload_setting.hpp"
#include "tools/run/control_group.hpp"
#include "tools/run/limit_watch.hpp"
#include "tools/run/process_status.hpp"
#include "tools/run/report_writer.hpp"
#include "tools/run/request_server.hpp"
#include "tools/shell_words.hpp"

namespace memprof::tools {
namespace {

namespace fs = std::filesystem;

/// As timeout(1) has it.
constexpr int ended_by_limit = 124;

environment_changes settings_of(run_options const& o, recorder::recording const& to) {
  return {to.environment(),
          {"LD_PRELOAD", preload_setting()},
          {"MEMTRACE", ""},
          {"MEMTRACE_RATE", fmt::format("{}", o.rate)}};
}

}  // namespace

int run_limited(run_options const& o) {
  std::string const& name = o.program.front();
  const finish_options talk{.quiet = o.quiet};
  std::optional<request_server> requests;
  if (!o.listen.empty()) requests.emplace(o.listen, o.token_file);
  std::optional<control_group> group;
  if (o.counted == counted_memory::group) group.emplace(static_cast<std::uint64_t>(o.memory));
  kill_cause cause(group ? group->kills() : fs::path{});
  report_writer reports;
  limit_watch watch(o, cause, reports, group ? &*group : nullptr);
  recorder::recording to(
      {.children = true,
       .attached = {},
       .command = quoted(o.program),
       .context = {},
       .file_of = {},
       .file_is_there = false,
       .sink_of = [&](pid_t process, bool visible) { return watch.sink_of(process, visible); },
       .after_look = [&](std::vector<pid_t> const& living) { return watch.after_look(living); }});
  watch.prepare(to);
  pid_t program = 0;
  const auto started = [&](pid_t process) {
    program = process;
    reports.begin(!o.output.empty()
                      ? o.output
                      : fmt::format("memprof.{}.{}", fs::path(name).filename().string(), process));
    watch.started(process);
    to.begin(process);
    if (requests) {
      say(talk, "listening on " + requests->begin(watch, o.program));
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
  const child_end end = run_child(o.program, settings_of(o, to),
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

}  // namespace memprof::tools
