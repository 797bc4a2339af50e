// SPDX-License-Identifier: MIT
#include "recorder/recording.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <ctime>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <unistd.h>

#include "recorder/followed_process.hpp"
#include "recorder/process_trace.hpp"
#include "recorder/process_watch.hpp"
#include "recorder/program_processes.hpp"
#include "recorder/shared_memory.hpp"
#include "records/records.hpp"
#include "relay/relay.hpp"

namespace memprof::recorder {
namespace {

using clock = std::chrono::steady_clock;
using relay::read_once;
using std::chrono::milliseconds;

/// Records taken from one channel before the next one's turn.
constexpr int turn = 20'000;
/// Events are in the file at most this long after they happened.
constexpr milliseconds write_every{250};
constexpr milliseconds shortest_sleep{1};
/// How long children that were forked just before the end have to report, and how long processes
/// whose end cannot be seen must be silent.
constexpr milliseconds late_children{3000};
constexpr milliseconds silence{1000};

struct traced_process {
  recorded_process what;
  std::unique_ptr<process_sink> sink;
};

/// A channel in use.
struct open_channel {
  std::size_t index;
  pid_t process;
  followed_process followed;
  traced_process* of;
  records::channel_reader reader;
  process_watch watch;
};

}  // namespace

struct recording::state {
  recording_options options;
  shared_memory memory;
  std::optional<program_processes> program;  ///< set before the thread begins
  std::deque<traced_process> traced;
  std::vector<open_channel> open;
  /// Channels that were closed because nothing came; nobody knows whether somebody still pushes.
  std::vector<std::size_t> left;
  records::record_buffer buffer{};

  std::string ended_how;  ///< written before `let_end`
  std::uint64_t ended_resident = 0;
  std::atomic<bool> let_end{false};
  std::atomic<bool> end_now{false};
  /// Guards `living` and `ended`.
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::vector<pid_t> living;
  bool ended = false;
  std::thread thread;

  explicit state(recording_options o)
      : options(std::move(o)),
        memory(options.children, options.attached ? options.attached->memory : -1) {}

  void run();
  bool look_for_processes();
  traced_process* trace_for(pid_t process, bool visible);
  [[nodiscard]] std::unique_ptr<process_sink> sink_for(pid_t process, bool visible,
                                                       std::string const& file);
  [[nodiscard]] milliseconds after_look() const;
  void close(open_channel& c, bool recycle);
  bool close_ended();
  [[nodiscard]] bool is_first(open_channel const& c) const;
  [[nodiscard]] bool nobody_is_left(std::uint32_t reported) const;
  void sleep(milliseconds duration);
  void publish_living();
};

std::unique_ptr<process_sink> recording::state::sink_for(pid_t process, bool visible,
                                                         std::string const& file) {
  if (options.sink_of) return options.sink_of(process, visible);
  return std::make_unique<process_trace>(
      trace_description{.file = file,
                        .file_is_there = options.file_is_there,
                        .context = options.context,
                        .process = static_cast<std::uint64_t>(process)});
}

/// The trace that the new channel of a process continues, or a new one.
traced_process* recording::state::trace_for(pid_t process, bool visible) {
  const auto before = std::ranges::find_if(open, [&](open_channel const& c) {
    return visible && c.process == process && c.followed.visible();
  });
  if (before != open.end()) {
    // It has executed another program, so nobody pushes there any more. (Its id does not come again
    // so soon: of a process that has ended the channel is closed before the next look.)
    traced_process* const of = before->of;
    before->reader.take_all(true);
    of->what.dropped += read_once(memory.channel(before->index).dropped);
    memory.recycle(before->index);
    open.erase(before);
    return of;
  }
  const auto again =
      std::ranges::count(traced, process, [](traced_process const& t) { return t.what.process; });
  std::string name = std::to_string(process);
  if (again > 0) name += "." + std::to_string(again + 1);
  const std::string file = options.file_of ? options.file_of(name) : std::string{};
  return &traced.emplace_back(traced_process{.what = {.process = process,
                                                      .name = name,
                                                      .file = file,
                                                      .dropped = 0,
                                                      .sampled = false,
                                                      .failure = {}},
                                             .sink = sink_for(process, visible, file)});
}

bool recording::state::look_for_processes() {
  bool any = false;
  for (std::size_t i = 0; i < relay::most_channels; ++i) {
    relay::channel& c = memory.channel(i);
    if (read_once(c.state, std::memory_order_acquire) != relay::channel_state::used ||
        std::ranges::find(open, i, &open_channel::index) != open.end() ||
        std::ranges::find(left, i) != left.end()) {
      continue;
    }
    pid_t process = read_once(c.process);
    bool claims_to_be_visible = read_once(c.visible) != 0;
    if (options.attached && process == read_once(memory.shared().first_process)) {
      process = options.attached->process;  // which may be in another pid namespace
      claims_to_be_visible = true;
    }
    followed_process followed =
        claims_to_be_visible ? program->follow(process) : followed_process(process, false);
    const bool visible = followed.visible();
    traced_process* const of = trace_for(process, visible);
    open.push_back({.index = i,
                    .process = process,
                    .followed = std::move(followed),
                    .of = of,
                    .reader = records::channel_reader(c.events, *of->sink, buffer),
                    .watch = process_watch(process)});
    if (visible && !open.back().followed.has_ended()) open.back().watch.look(0);
    any = true;
  }
  if (any) publish_living();
  return any;
}

void recording::state::close(open_channel& c, bool recycle) {
  process_sink& trace = *c.of->sink;
  const bool first = is_first(c);
  if (first) trace.note("command", options.command);
  if (first && !ended_how.empty()) trace.note("ended", ended_how);
  if (first && options.attached) trace.note("attached", std::to_string(options.attached->age));
  for (auto const& [name, value] : c.watch.notes()) trace.note(name, value);
  const std::uint64_t resident = std::max(c.watch.resident_peak(), first ? ended_resident : 0);
  if (resident != 0) trace.note("resident_peak", std::to_string(resident));
  c.of->what.dropped += read_once(memory.channel(c.index).dropped);
  trace.close();
  c.of->what.failure = trace.failure();
  c.of->what.sampled = trace.sampled();
  if (recycle) memory.recycle(c.index);
}

/// Closes the channels of processes that have ended. True: there were some.
bool recording::state::close_ended() {
  const auto removed = std::erase_if(open, [this](open_channel& c) {
    // How the program ended is known a little later.
    if (is_first(c) && !let_end.load(std::memory_order_acquire)) return false;
    const bool silent = !c.followed.visible() && let_end.load(std::memory_order_relaxed) &&
                        clock::now() - c.reader.last_record() > silence;
    if (!c.followed.has_ended() && !silent) return false;
    c.reader.take_all(true);
    // What is not seen to end may still push.
    close(c, !silent);
    if (silent) left.push_back(c.index);
    return true;
  });
  if (removed > 0) publish_living();
  return removed > 0;
}

bool recording::state::is_first(open_channel const& c) const {
  return c.process == program->first();
}

bool recording::state::nobody_is_left(std::uint32_t reported) const {
  return open.empty() && read_once(memory.shared().forks, std::memory_order_acquire) == reported;
}

void recording::state::publish_living() {
  const std::scoped_lock lock(mutex);
  living.clear();
  for (open_channel const& c : open) living.push_back(c.process);
}

/// How long the user lets us sleep.
milliseconds recording::state::after_look() const {
  if (!options.after_look) return longest_sleep;
  std::vector<pid_t> visible;
  for (open_channel const& c : open) {
    if (c.followed.visible()) visible.push_back(c.process);
  }
  return options.after_look(visible);
}

void recording::state::sleep(milliseconds duration) {
  const timespec time{.tv_sec = 0, .tv_nsec = std::chrono::nanoseconds(duration).count()};
  relay::sleep_unless(memory.shared(), time, [this] {
    return std::ranges::any_of(
        open, [this](open_channel const& c) { return memory.channel(c.index).events.crowded(); });
  });
}

void recording::state::run() {
  auto last_write = clock::now();
  auto last_process = last_write;
  milliseconds next_sleep = shortest_sleep;
  for (;;) {
    const bool last = end_now.load(std::memory_order_acquire);
    const bool may_end = let_end.load(std::memory_order_acquire);
    // Before the look: children that report after it may not have been seen.
    const std::uint32_t reported =
        read_once(memory.shared().forks_reported, std::memory_order_acquire);
    bool busy = look_for_processes();
    for (open_channel& c : open) {
      busy |= c.reader.take(false, turn) > 0;
      c.reader.look_at_hole();
    }
    busy |= close_ended();
    const milliseconds most_sleep = after_look();
    const auto now = clock::now();
    if (!open.empty()) last_process = now;
    if (last || (may_end && nobody_is_left(reported))) break;
    if (may_end && open.empty() && now - last_process > late_children) break;
    if (now - last_write > write_every) {
      for (open_channel& c : open) {
        c.of->sink->flush();
        if (c.followed.visible()) c.watch.look(c.of->sink->age());
      }
      last_write = now;
    }
    next_sleep = busy ? shortest_sleep : std::min(next_sleep * 2, longest_sleep);
    if (may_end) next_sleep = shortest_sleep;
    next_sleep = std::min(next_sleep, most_sleep);
    sleep(next_sleep);
  }
  memory.shared().closed.store(1, std::memory_order_seq_cst);
  for (open_channel& c : open) {
    c.reader.take_last();
    close(c, false);
  }
  open.clear();
  publish_living();
  {
    const std::scoped_lock lock(mutex);
    ended = true;
  }
  changed.notify_all();
}

recording::recording(recording_options options)
    : state_(std::make_unique<state>(std::move(options))) {}

recording::~recording() {
  if (state_->thread.joinable()) finish();
}

std::pair<std::string, std::string> recording::environment() const {
  return {relay::variable, state_->memory.invitation()};
}

void recording::enter_first_process() const noexcept { state_->memory.enter_first_process(); }

void recording::begin(pid_t first) try {
  state_->program.emplace(first);
  state_->thread = std::thread([s = state_.get()] {
    // A reader of the trace that goes away, or a limit on files, ends the trace and nothing else.
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
    s->run();
  });
} catch (std::system_error const& e) {
  throw std::system_error(e.code(), "the recorder's thread");
}

void recording::first_process_ended(std::string const& how, std::uint64_t resident) {
  state_->ended_how = how;
  state_->ended_resident = resident;
  state_->let_end.store(true, std::memory_order_release);
  relay::wake(state_->memory.shared());
}

bool recording::wait_for(milliseconds duration) {
  std::unique_lock lock(state_->mutex);
  return state_->changed.wait_for(lock, duration, [this] { return state_->ended; });
}

std::vector<pid_t> recording::living() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->living;
}

void recording::refuse_requests_over(std::uint64_t bytes) noexcept {
  relay::control& shared = state_->memory.shared();
  const std::chrono::nanoseconds now = std::chrono::steady_clock::now().time_since_epoch();
  shared.largest_request_at.store(now.count(), std::memory_order_relaxed);
  shared.largest_request.store(bytes, std::memory_order_relaxed);
}

recording::refused_requests recording::refused() const noexcept {
  relay::control const& shared = state_->memory.shared();
  const std::uint64_t number = read_once(shared.refusals, std::memory_order_acquire);
  return {.number = number, .bytes = read_once(shared.last_refused)};
}

std::uint32_t recording::without_room() const noexcept {
  return read_once(state_->memory.shared().without_channel);
}

recording_result recording::finish() {
  state_->end_now.store(true, std::memory_order_release);
  relay::wake(state_->memory.shared());
  if (state_->thread.joinable()) state_->thread.join();
  relay::control const& shared = state_->memory.shared();
  recording_result result;
  for (traced_process& t : state_->traced) {
    result.processes.push_back(t.what);
  }
  const std::uint32_t others = read_once(shared.others, std::memory_order_acquire);
  const std::size_t known = std::min<std::size_t>(others, relay::control::most_noted);
  std::set<std::int32_t> distinct;
  for (std::size_t i = 0; i < known; ++i) distinct.insert(read_once(shared.other_processes[i]));
  result.others = distinct.size();
  result.others_at_least = others > known;
  result.no_room = read_once(shared.without_channel);
  result.could_not_map = read_once(shared.could_not_map);
  return result;
}

}  // namespace memprof::recorder
