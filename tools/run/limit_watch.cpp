// SPDX-License-Identifier: MIT
#include "tools/run/limit_watch.hpp"

#include <algorithm>
#include <csignal>
#include <exception>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "analysis/analysis.hpp"
#include "tools/message.hpp"
#include "tools/run/process_status.hpp"

namespace memprof::tools {
namespace {

using analysis::bytes_text;
using recorder::live_amount;
using std::chrono::milliseconds;

/// Between two looks, while nothing comes from the program.
constexpr milliseconds look_every{10};

/// Mean intervals between samples: a request so large is sampled but for a chance of e^-16.
constexpr double surely_sampled = 16;
constexpr double least_refused = 64 << 10;

/// \param bytes what the limit is for, or is compared with: "201 MiB resident".
void add_amount(limit_report& r, double bytes, char const* kind) {
  r.what_counts = bytes_text(bytes) + kind;
  r.mostly_mapped = r.live.bytes < bytes / 2;
  if (r.mostly_mapped) r.what_counts += ", most of it not from malloc";
}

}  // namespace

limit_watch::limit_watch(run_options const& options, kill_cause& cause, report_writer& reports,
                         control_group* group)
    : options_(options),
      cause_(cause),
      reports_(reports),
      control_group_(group),
      levels_(options.soft * options.memory, options.memory),
      processes_(!options.listen.empty()),
      notice_(options.memory) {}

void limit_watch::prepare(recorder::recording& by) {
  recording_ = &by;
  if (options_.action == limit_action::refuse) refuse_what_has_no_room({});
}

void limit_watch::started(pid_t program) {
  program_ = program;
  group_.begin(program);
  start_ = clock::now();
}

std::unique_ptr<recorder::process_sink> limit_watch::sink_of(pid_t process, bool visible) {
  seen_.store(true, std::memory_order_relaxed);
  return processes_.begin(process, visible);
}

milliseconds limit_watch::after_look(std::vector<pid_t> const& living) noexcept {
  try {
    look(living);
  } catch (std::exception const& e) {
    message(fmt::format("no report: {}", e.what()));
  }
  jobs_->work();
  return look_every;
}

void limit_watch::look(std::vector<pid_t> const& living) {
  look_at_ended();
  if (asked_.exchange(false, std::memory_order_relaxed)) {
    report(processes_.all(), "asked for by SIGUSR2");
  }
  look_at_unrecorded(living);
  look_at_amount(living);
  look_at_mapped(living);
  look_at_pressure();
  if (kill_at_ && clock::now() >= *kill_at_) {
    kill_at_.reset();
    group_.signal(SIGKILL);
    reports_.say(fmt::format("it has not ended {} s after that: SIGKILL",
                             std::chrono::duration<double>(options_.grace).count()));
  }
}

/// The kernel kills without a word, but what a process had in the end is still known here.
void limit_watch::look_at_ended() {
  const recorded_processes::list ended = processes_.take_ended();
  recorded_processes::list killed = ended;
  std::erase_if(killed, [this](auto const* l) { return !may_have_been_killed(*l); });
  if (!killed.empty()) {
    if (const std::string why = cause_.new_kill(); !why.empty() && !has_ended_it()) {
      last_.reset();                                   // what counted is gone
      report(killed, "it was ended" + why.substr(1));  // without the colon
    }
  }
  processes_.forget(ended);
}

/// The recorder has room for so many processes at once; the others are known to the kernel.
void limit_watch::look_at_unrecorded(std::vector<pid_t> const& living) {
  if (recording_->without_room() == 0 || options_.counted == counted_memory::group) return;
  if (!said_no_room_) {
    said_no_room_ = true;
    reports_.say(
        fmt::format("more processes run at once than can be recorded ({}): what the others have in "
                    "memory counts, but no stacks of it are known",
                    living.size()));
  }
  unrecorded_.look(clock::now(), group_, living);
}

void limit_watch::look_at_amount(std::vector<pid_t> const& living) {
  if (options_.counted != counted_memory::live) {  // files are to be read
    const auto now = clock::now();
    if (now - last_slow_look_ < look_every) return;
    last_slow_look_ = now;
  }
  const live_amount now = counted(living);
  if (options_.action == limit_action::refuse) refuse_what_has_no_room(now);
  if (kill_at_) return;
  const bool at_limit = control_group_ != nullptr && control_group_->has_come_to_limit();
  // A look costs a part of the risk.
  if (last_ == now.bytes && !at_limit) return;
  last_ = now.bytes;
  limit_level level = levels_.look(now);
  if (at_limit && level != limit_level::hard) {
    levels_.pass_hard(now);
    level = limit_level::hard;
  }
  const std::string limit = bytes_text(levels_.hard());
  if (level == limit_level::soft) {
    report(processes_.all(), fmt::format("over the soft limit of {}, for a limit of {}",
                                         bytes_text(levels_.soft()), limit));
  }
  if (level == limit_level::hard) {
    report(processes_.all(), fmt::format("{} the limit of {}", at_limit ? "at" : "over", limit));
    act();
  }
}

/// What is not from malloc may fill the memory, and no limit is passed.
void limit_watch::look_at_mapped(std::vector<pid_t> const& living) {
  if (options_.counted != counted_memory::live || kill_at_) return;
  const double live = amount_of(processes_.all()).bytes;
  const auto anonymous = notice_.look(clock::now(), with_program(living), live);
  if (!anonymous) return;
  limit_report r =
      report_on(processes_.all(),
                fmt::format("resident memory is over the limit of {}, but what counts is malloc's, "
                            "{}: --resident limits all of it",
                            bytes_text(levels_.hard()), bytes_text(live)),
                true);
  add_amount(r, *anonymous, " resident and anonymous");
  ++number_of_reports_;
  reports_.write(std::move(r));
}

/// The kernel may kill before any limit of ours is passed.
void limit_watch::look_at_pressure() {
  const auto now = clock::now();
  if (now - last_pressure_look_ < look_every) return;
  last_pressure_look_ = now;
  const std::string cause = pressure_.look(now);
  if (!cause.empty() && !kill_at_) report(processes_.all(), cause);
}

/// Small requests are granted for ever: most programs end themselves when one is refused.
void limit_watch::refuse_what_has_no_room(live_amount const& now) {
  const double small = std::max(surely_sampled * 8 / options_.rate, least_refused);
  const double room = std::max(options_.memory - now.bytes, small);
  recording_->refuse_requests_over(static_cast<std::uint64_t>(room));
  const auto refused = recording_->refused();
  if (refused.number == refused_) return;
  const bool first = refused_ == 0;
  refused_ = refused.number;
  if (!first) return;  // the others are counted
  report(processes_.all(),
         fmt::format("a request for {} was refused under the limit of {}",
                     bytes_text(static_cast<double>(refused.bytes)), bytes_text(options_.memory)));
}

void limit_watch::act() {
  switch (options_.action) {
    case limit_action::report:
    case limit_action::refuse:
      break;
    case limit_action::term:
    case limit_action::abort: {
      const int signal = options_.action == limit_action::term ? SIGTERM : SIGABRT;
      acted_.store(true, std::memory_order_relaxed);
      kill_at_ = clock::now() + options_.grace;
      group_.signal(signal);
      reports_.say(fmt::format("the limit ends {} by {}", program_,
                               signal == SIGTERM ? "SIGTERM" : "SIGABRT"));
      break;
    }
    case limit_action::pause:
      reports_.say(
          fmt::format("{0} is stopped, and this command with it: `kill -CONT {0}` lets it "
                      "go on, `kill -KILL {0}` ends it",
                      program_));
      group_.stop();
      break;
  }
}

void limit_watch::report(recorded_processes::list const& of, std::string cause) {
  ++number_of_reports_;
  try {
    reports_.write(report_on(of, cause, true));
  } catch (std::exception const& e) {  // what is done at the limit does not depend on it
    reports_.say(fmt::format("{}; no report: {}", cause, e.what()));
  }
}

limit_report limit_watch::state(std::string cause) const {
  return report_on(processes_.all(), std::move(cause), true);
}

watched_counts limit_watch::counts() const {
  return {.now = report_on(processes_.all(), {}, false),
          .rate = options_.rate,
          .soft = levels_.soft(),
          .hard = levels_.hard(),
          .samples = processes_.samples(),
          .reports = number_of_reports_,
          .refused = recording_->refused().number};
}

limit_report limit_watch::report_on(recorded_processes::list const& of, std::string cause,
                                    bool with_stacks) const {
  limit_report r = report_on_processes(of, with_stacks);
  r.cause = std::move(cause);
  if (options_.counted != counted_memory::live && last_) {
    add_amount(r, *last_, control_group_ != nullptr ? " in its control group" : " resident");
  } else if (unrecorded_.processes() != 0) {
    r.what_counts = fmt::format("{} in {} process{} that could not be recorded",
                                bytes_text(unrecorded_.bytes()), unrecorded_.processes(),
                                unrecorded_.processes() == 1 ? "" : "es");
  }
  r.not_watched = pressure_.not_watched();
  r.when = std::chrono::system_clock::now();
  r.since_start = std::chrono::duration_cast<std::chrono::microseconds>(clock::now() - start_);
  return r;
}

/// It may not be recorded, or not yet.
std::vector<pid_t> limit_watch::with_program(std::vector<pid_t> processes) const {
  if (std::ranges::find(processes, program_) == processes.end()) processes.push_back(program_);
  return processes;
}

live_amount limit_watch::counted(std::vector<pid_t> const& living) const {
  if (control_group_ != nullptr) return {static_cast<double>(control_group_->used()), 0};
  live_amount sum{.bytes = unrecorded_.bytes(), .variance = 0};
  if (options_.counted == counted_memory::live) {
    const live_amount live = amount_of(processes_.all());
    return {.bytes = sum.bytes + live.bytes, .variance = live.variance};
  }
  for (const pid_t p : with_program(living)) sum.bytes += static_cast<double>(resident_of(p));
  return sum;
}

}  // namespace memprof::tools
