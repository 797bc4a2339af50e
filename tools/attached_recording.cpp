// SPDX-License-Identifier: MIT
#include "tools/attached_recording.hpp"

#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <thread>
#include <vector>

#include "tools/amount.hpp"
#include "tools/message.hpp"
#include "tools/serving.hpp"
#include "tools/shell_words.hpp"
#include "tools/usage_error.hpp"

namespace memprof::tools {
namespace {

using clock = std::chrono::steady_clock;
using recorder::attached_state;
using std::chrono::milliseconds;

constexpr milliseconds first_word{3000};  ///< to the user, of a process that does not answer

/// Its arguments; empty if it has taken them away.
std::vector<std::string> arguments_of(pid_t process) {
  std::vector<std::string> arguments;
  std::string rest = recorder::command_line_of(process);
  for (std::size_t end; (end = rest.find('\0')) != rest.npos; rest.erase(0, end + 1)) {
    arguments.push_back(rest.substr(0, end));
  }
  return arguments;
}

/// False: the user does not want to wait any longer.
bool wait_for_answer(recorder::attachment& to, attached_options const& o, end_signals& signals) {
  const auto begin = clock::now();
  bool said = false;
  while (!to.answered()) {
    if (signals.came()) return false;
    if (!said && clock::now() - begin > first_word) {
      said = true;
      say(o.finish, fmt::format("{} has allocated too little since to notice; still waiting, until "
                                "Ctrl-C (each thread looks at its next sample, at the latest after "
                                "8 MiB)",
                                to.process()));
    }
    std::this_thread::sleep_for(milliseconds(2));
  }
  return true;
}

/// What ended the recording, for the trace.
std::string wait_for_end(recorder::attachment& to, attached_options const& o,
                         end_signals& signals) {
  const auto begin = clock::now();
  for (;;) {
    switch (to.now()) {
      case attached_state::recorded:
        break;
      case attached_state::process_ended:
        say(o.finish, fmt::format("{} has ended", to.process()));
        return "its parent knows how";
      case attached_state::other_program:
        say(o.finish,
            fmt::format("{} has executed another program, which is not recorded", to.process()));
        return "by exec of another program";
      case attached_state::left:
        say(o.finish, fmt::format("{} goes on without: it has begun a trace of its own, or this "
                                  "command did not keep up with it for seconds",
                                  to.process()));
        return "not yet: it left its recorder";
    }
    const std::chrono::duration<double> since = clock::now() - begin;
    if (signals.came() || (o.seconds && since.count() >= *o.seconds)) {
      return "not yet: its recorder detached";
    }
    std::this_thread::sleep_for(milliseconds(20));
  }
}

}  // namespace

pid_t parse_pid(std::string const& text) {
  const double number = parse_number("--pid", text);
  if (!(number >= 1 && number <= std::numeric_limits<pid_t>::max()) ||
      number != static_cast<pid_t>(number)) {
    throw usage_error(fmt::format("--pid: {} is no process id", text));
  }
  return static_cast<pid_t>(number);
}

std::string program_name_of(pid_t process) {
  const auto arguments = arguments_of(process);
  const std::string name =
      arguments.empty() ? "" : std::filesystem::path(arguments.front()).filename().string();
  return name.empty() ? "process" : name;
}

int record_attached(pid_t process, attached_options const& o, recorded_files const& files,
                    live_view& view) try {
  end_signals signals;
  recorder::attachment to(process, o.wish);
  if (!wait_for_answer(to, o, signals)) {
    message(fmt::format("nothing was recorded: {} did not allocate", process));
    return 1;
  }
  recorder::recording recording(
      {.children = o.wish.children,
       .attached = {{.process = process, .memory = to.take_descriptor(), .age = to.age()}},
       .command = quoted(arguments_of(process)),
       .context = o.context,
       .file_of = [&](std::string const& name) { return files.of(name).written.string(); },
       .file_is_there = files.direct(),
       .sink_of = {},
       .after_look = no_room_notice(recording)});
  recording.begin(process);
  if (o.finish.serve) view.begin(process);
  say(o.finish,
      fmt::format("{} is recorded; what it allocated before is not in the trace. {}", process,
                  o.seconds ? fmt::format("This ends after {} s", readable(*o.seconds))
                            : "Ctrl-C ends the recording, and the program goes on"));
  const std::string how = wait_for_end(to, o, signals);
  recording.first_process_ended(how, 0);
  if (to.now() == attached_state::process_ended) {
    wait_for_children(o.finish, recording, std::to_string(process));
  }
  const recorder::recording_result result = recording.finish();
  to.release();
  const auto finished = finish_all(o.finish, files, result, process);
  report_others(o.finish, result);
  if (finished.empty()) {
    if (!has_failed(result)) {
      message(fmt::format("nothing was recorded: {} took no sample", process));
    }
    return 1;
  }
  if (!files.direct()) view.follow(finished.front().wanted.string());
  view.wait();
  return 0;
} catch (recorder::cannot_attach const& e) {
  message(e.what());
  return 1;
}

}  // namespace memprof::tools
