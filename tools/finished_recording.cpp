// SPDX-License-Identifier: MIT
#include "tools/finished_recording.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <tuple>

#include "symbolize/symbolize.hpp"
#include "tools/message.hpp"
#include "tools/recorded_summary.hpp"
#include "tools/serving.hpp"
#include "tools/shell_words.hpp"

namespace memprof::tools {
namespace {

namespace fs = std::filesystem;

/// As the user calls it.
std::string shown(fs::path const& file) {
  std::error_code none;
  const fs::path near = fs::proximate(file, none);
  return none ? file.string() : near.string();
}

/// The file under its own name, with symbols in it. What goes wrong with these leaves it as it is.
void give_name(finish_options const& o, recorded_file const& file) {
  bool named = false;
  if (!o.no_symbols) {
    try {
      symbolize::symbolize_trace_options how;
      how.names.debuginfod = o.debuginfod;
      symbolize::symbolize_trace(file.written, file.wanted, how);
      fs::remove(file.written);
      named = true;
    } catch (std::exception const& e) {
      message(fmt::format("no symbols are in the trace: {}", e.what()));
    }
  }
  if (!named) fs::rename(file.written, file.wanted);
}

/// What is in it, and what to do next.
///
/// \param whole nothing is missing; of a part nothing follows.
void describe(finish_options const& o, fs::path const& file, bool whole, bool first) {
  const std::string name = shown(file);
  recorded_summary summary;
  try {
    summary = summarize(file);
  } catch (std::exception const& e) {
    message(fmt::format("trace {}: cannot be read: {}", name, e.what()));
    return;
  }
  say(o, fmt::format("trace {}: {}", name, summary_text(summary)));
  if (!first) return;
  if (const std::string better = better_rate(summary); whole && !better.empty()) say(o, better);
  if (summary.samples == 0 || o.serve) return;
  say(o, fmt::format("next: memprof top {0}, or in a browser: memprof serve {0}",
                     tools::quoted({name})));
}

/// Where the trace is in the end; nullopt: there is none.
std::optional<recorded_file> finish(finish_options const& o, recorded_file const& file, bool whole,
                                    bool first) {
  if (!fs::exists(file.written)) return std::nullopt;  // it could not be opened
  if (fs::file_size(file.written) == 0) {
    fs::remove(file.written);
    return std::nullopt;
  }
  if (fs::exists(file.wanted) && !o.force) {
    message(fmt::format("{} exists by now; the trace is {}", file.wanted.string(),
                        file.written.string()));
    return recorded_file{file.written, file.written};
  }
  give_name(o, file);
  describe(o, file.wanted, whole, first);
  return file;
}

void report(recorder::recorded_process const& p, fs::path const& file) {
  if (!p.failure.empty()) message(p.failure);
  if (p.dropped != 0) {
    message(
        fmt::format("trace {}: {} sampled blocks or interrupts are missing, they came faster "
                    "than they could be written",
                    shown(file), p.dropped));
  }
}

std::string how_many(std::size_t number, bool at_least, char const* one, char const* many) {
  return fmt::format("{}{} {}", at_least ? "at least " : "", number,
                     number == 1 && !at_least ? one : many);
}

}  // namespace

void say(finish_options const& o, std::string const& text) {
  if (!o.quiet) message(text);
}

void wait_for_children(finish_options const& o, recorder::recording& to,
                       std::string const& program) {
  using clock = std::chrono::steady_clock;
  const clock::time_point patient_until = clock::now() + std::chrono::milliseconds(1500);
  end_signals signals;  // from here on: without, the first would end us, and the trace be lost
  bool said = false;
  while (!signals.came() && !to.wait_for(std::chrono::milliseconds(100))) {
    if (said || clock::now() < patient_until) continue;
    std::string processes;
    for (const pid_t p : to.living()) processes += fmt::format(" {}", p);
    if (processes.empty()) continue;
    say(o, fmt::format("{} has ended; processes that it started are still traced, until they end "
                       "or Ctrl-C is pressed:{}",
                       program, processes));
    said = true;
  }
  // A Ctrl-C that has ended the children, too, came while they were waited for.
  static_cast<void>(signals.came());
}

std::vector<recorded_file> finish_all(finish_options const& o, recorded_files const& files,
                                      recorder::recording_result result, pid_t program) {
  std::vector<recorded_file> finished;
  std::size_t empty = 0;
  std::ranges::sort(result.processes, {}, [&](recorder::recorded_process const& p) {
    return std::tuple(p.process != program, p.process, p.name);
  });
  for (recorder::recorded_process const& p : result.processes) {
    recorded_file const file = files.of(p.name);
    report(p, file.wanted);
    if (files.direct()) {
      finished.push_back(file);
      continue;
    }
    const bool whole = p.failure.empty();
    try {
      if (whole && !p.sampled && p.process != program && fs::exists(file.written)) {
        fs::remove(file.written);
        ++empty;
      } else if (const auto kept = finish(o, file, whole, finished.empty())) {
        finished.push_back(*kept);
      }
    } catch (fs::filesystem_error const& e) {
      message(fmt::format("the trace stays {}: {}", shown(file.written), e.code().message()));
      finished.push_back({file.written, file.written});
    }
  }
  if (empty != 0) {
    say(o, fmt::format("{} no trace", how_many(empty, false, "other process took no sample and has",
                                               "other processes took no sample and have")));
  }
  return finished;
}

bool has_failed(recorder::recording_result const& result) noexcept {
  return std::ranges::any_of(result.processes, [](auto const& p) { return !p.failure.empty(); });
}

std::function<std::chrono::milliseconds(std::vector<pid_t> const&)> no_room_notice(
    recorder::recording const& recording) {
  return [&recording, said = false](std::vector<pid_t> const&) mutable {
    if (!said && recording.without_room() != 0) {
      said = true;
      message("more processes run at once than can be traced: the others are not");
    }
    return recorder::longest_sleep;
  };
}

void report_others(finish_options const& o, recorder::recording_result const& result) {
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

}  // namespace memprof::tools
