// SPDX-License-Identifier: MIT
#include "tools/run/limit_watch.hpp"

#include <algorithm>
#include <csignal>
#include <exception>
#include <fmt/format.h>
#include <stdexcept>
#include <string>
#include <utility>

#include "analysis/analysis.hpp"
#include "tools/message.hpp"
#include "tools/run/process_status.hpp"

namespace memprof::tools {
namespace {

using analysis::bytes_text;
using recorder::live_amount;
using recorder::live_blocks;
using std::chrono::milliseconds;

/// Between two looks, while nothing comes from the program.
constexpr milliseconds look_every{10};

/// Mean intervals between samples: a request so large is sampled but for a chance of e^-16.
constexpr double surely_sampled = 16;
constexpr double least_refused = 64 << 10;

live_amount sum_of(std::vector<live_blocks*> const& all) {
  live_amount sum;
  for (live_blocks const* const l : all) {
    const live_amount a = l->amount();
    sum.bytes += a.bytes;
    sum.variance += a.variance;
  }
  return sum;
}

}  // namespace

limit_watch::limit_watch(run_options const& options, kill_cause& cause, report_writer& reports,
                         control_group* group)
    : options_(options),
      cause_(cause),
      reports_(reports),
      control_group_(group),
      levels_(options.soft * options.memory, options.memory) {}

void limit_watch::prepare(recorder::recording& by) {
  recording_ = &by;
  if (options_.action == limit_action::refuse) refuse_what_has_no_room({});
}

void limit_watch::started(pid_t program) {
  program_ = program;
  start_ = clock::now();
}

std::unique_ptr<recorder::process_sink> limit_watch::sink_of(pid_t process) {
  auto made = std::make_unique<live_blocks>(process, options_.with_sums);
  processes_.push_back(made.get());
  seen_.store(true, std::memory_order_relaxed);
  return made;
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
    report(now_living(), "asked for by SIGUSR2");
  }
  look_at_amount(living);
  look_at_pressure();
  if (kill_at_ && clock::now() >= *kill_at_) {
    kill_at_.reset();
    group_.set(program_, living);
    group_.signal(SIGKILL);
    reports_.say(fmt::format("it has not ended {} s after that: SIGKILL",
                             std::chrono::duration<double>(options_.grace).count()));
  }
}

/// The kernel kills without a word, but what a process had in the end is still known here.
void limit_watch::look_at_ended() {
  std::vector<live_blocks*> ended;
  std::erase_if(processes_, [&](live_blocks* l) {
    if (!l->ended()) return false;
    ended.push_back(l);
    return true;
  });
  if (ended.empty()) return;
  if (const std::string why = cause_.new_kill(); !why.empty() && !has_ended_it()) {
    last_.reset();                                  // what counted is gone
    report(ended, "it was ended" + why.substr(1));  // without the colon
  }
  for (live_blocks* const l : ended) {
    if (l->sums() != nullptr) samples_of_ended_ += l->sums()->allocated();
    l->forget();
  }
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
    report(now_living(), fmt::format("over the soft limit of {}, for a limit of {}",
                                     bytes_text(levels_.soft()), limit));
  }
  if (level == limit_level::hard) {
    report(now_living(), fmt::format("{} the limit of {}", at_limit ? "at" : "over", limit));
    act(living);
  }
}

/// The kernel may kill before any limit of ours is passed.
void limit_watch::look_at_pressure() {
  const auto now = clock::now();
  if (now - last_pressure_look_ < look_every) return;
  last_pressure_look_ = now;
  const std::string cause = pressure_.look(now);
  if (!cause.empty() && !kill_at_) report(now_living(), cause);
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
  report(now_living(),
         fmt::format("a request for {} was refused under the limit of {}",
                     bytes_text(static_cast<double>(refused.bytes)), bytes_text(options_.memory)));
}

void limit_watch::act(std::vector<pid_t> const& living) {
  group_.set(program_, living);
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

void limit_watch::report(std::vector<live_blocks*> const& of, std::string cause) {
  ++number_of_reports_;
  reports_.write(report_on(of, std::move(cause), true));
}

limit_report limit_watch::state(std::string cause) const {
  return report_on(processes_, std::move(cause), true);
}

watched_counts limit_watch::counts() const {
  watched_counts c{.now = report_on(processes_, {}, false),
                   .rate = options_.rate,
                   .soft = levels_.soft(),
                   .hard = levels_.hard(),
                   .samples = samples_of_ended_,
                   .reports = number_of_reports_,
                   .refused = recording_->refused().number};
  for (live_blocks const* const l : processes_) {
    if (l->sums() != nullptr) c.samples += l->sums()->allocated();
  }
  return c;
}

recorder::heap_rows limit_watch::rows() const {
  std::vector<live_blocks*> begun = processes_;
  std::erase_if(begun, [](live_blocks const* l) { return l->rate() == 0; });
  if (begun.empty()) throw std::runtime_error("no process is recorded yet");
  return recorder::heap_rows(begun);
}

limit_report limit_watch::report_on(std::vector<live_blocks*> const& of, std::string cause,
                                    bool with_stacks) const {
  limit_report r;
  std::vector<live_blocks*> begun = of;
  std::erase_if(begun, [](live_blocks const* l) { return l->rate() == 0; });
  std::ranges::sort(begun, std::ranges::greater{},
                    [](live_blocks const* l) { return l->amount().bytes; });
  for (live_blocks const* const l : begun) {
    r.processes.push_back({.id = l->process(),
                           .program = l->program(),
                           .live = l->amount().bytes,
                           .resident = resident_of(l->process())});
  }
  r.live = sum_of(begun);
  if (!begun.empty()) r.rate = begun.front()->rate();
  if (with_stacks && r.live.bytes > 0)
    r.snapshot = std::make_unique<recorder::live_snapshot>(begun);
  r.cause = std::move(cause);
  if (options_.counted != counted_memory::live && last_) {
    r.what_counts =
        bytes_text(*last_) + (control_group_ != nullptr ? " in its control group" : " resident");
    r.mostly_mapped = r.live.bytes < *last_ / 2;
    if (r.mostly_mapped) r.what_counts += ", most of it not from malloc";
  }
  r.not_watched = pressure_.not_watched();
  r.when = std::chrono::system_clock::now();
  r.since_start = std::chrono::duration_cast<std::chrono::microseconds>(clock::now() - start_);
  return r;
}

std::vector<live_blocks*> limit_watch::now_living() const { return processes_; }

live_amount limit_watch::counted(std::vector<pid_t> const& living) const {
  if (options_.counted == counted_memory::live) return sum_of(processes_);
  if (control_group_ != nullptr) return {static_cast<double>(control_group_->used()), 0};
  std::uint64_t bytes = resident_of(program_);
  for (const pid_t p : living) {
    if (p != program_) bytes += resident_of(p);
  }
  return {.bytes = static_cast<double>(bytes), .variance = 0};
}

}  // namespace memprof::tools
