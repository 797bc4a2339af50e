// SPDX-License-Identifier: MIT
#include "tracer/trace_writer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <string_view>
#include <sys/utsname.h>
#include <unistd.h>

#include "engine/engine.hpp"
#include "tracer/file_name.hpp"

namespace memprof::tracer {

constinit base::index_pool<traced_block> traced_blocks;

namespace {

/// Events between two checks of the loader's counts.
constexpr std::uint32_t batch = 4096;

/// For a block whose allocation could not be encoded: none of its events can be.
constexpr trace::object_id no_object = ~trace::object_id{0};

/// "memprof seed=N", for a replay; and whether sampled blocks are guarded.
std::string_view parameters(std::span<char, 64> text) noexcept {
  base::bounded_text all{text};
  (all << "memprof seed=").number(engine::process_seed());
  if (engine::guard_wanted.load(std::memory_order_relaxed)) all << " guard=1";
  return text.data();
}

void count(std::atomic<std::uint64_t>& counter) noexcept {
  counter.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

outcome trace_writer::begin() noexcept {
  number_ = session_.last_number.load(std::memory_order_acquire);
  settings const& wanted = session_.wanted;
  char name[longest_file_name];
  if (!expand_process_id(wanted.file.data(), getpid(), name)) {
    return result_ = {step::open, ENAMETOOLONG};
  }
  result_ = file_.open(name);
  if (!result_) return result_;
  codes_.modules.refresh();
  codes_.threads.begin();
  encoder_.remember_in(last_backtrace_);
  start_time_ = microseconds_now();

  char program[4096];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program);
  utsname system{};
  uname(&system);
  std::array<char, 64> text;
  const encoding::stream_info info{
      .version = encoding::newest_version,
      .sample_rate = wanted.rate,
      .word_bits = 64,
      .executable_name = {program, length > 0 ? static_cast<std::size_t>(length) : 0},
      .host_name = system.nodename,
      .runtime_parameters = parameters(text),
      .context = wanted.context.data(),
      .pid = static_cast<std::uint64_t>(getpid()),
      .initial_domain = 0,
      .start_time = start_time_};
  const auto status = encoder_.open(
      info, {.context = this, .write = &write, .locate = &locate, .draw_ids = nullptr});
  if (status == encoding::status::not_encodable) result_ = {step::encode, ENAMETOOLONG};
  if (!result_) file_.close();
  return result_;
}

bool trace_writer::write(void* writer, std::span<std::byte const> packet) noexcept {
  auto& self = *static_cast<trace_writer*>(writer);
  if (const outcome written = self.file_.write(packet); !written) {
    self.result_ = written;
    return false;
  }
  self.session_.counts.bytes.store(self.file_.size(), std::memory_order_relaxed);
  return true;
}

std::span<trace::location const> trace_writer::locate(void* writer,
                                                      trace::location_code code) noexcept {
  auto& self = *static_cast<trace_writer*>(writer);
  if (code == encoding::first_note_code) {
    self.noted_ = {.filename = encoding::note_file, .defname = self.exit_note_.data()};
    return {&self.noted_, 1};
  }
  if (self.notes_.has(code)) return self.notes_.locate(code, self.codes_);
  if (encoding::is_thread_code(code)) return self.codes_.threads.locate(code);
  return self.codes_.names.locate(code);
}

bool trace_writer::nothing_to_do() const noexcept {
  return session_.queue.popped() == session_.queue.pushed() && session_.late.empty() && late_ == 0;
}

bool trace_writer::crowded() const noexcept {
  return session_.queue.pushed() - session_.queue.popped() > event_queue::capacity / 2;
}

bool trace_writer::drain() noexcept {
  bool any = false;
  queued_event event;
  for (bool more = true; more && result_;) {
    more = false;
    if (late_ == 0) {
      late_ = session_.late.take();
      // The events that they follow were pushed before them.
      late_after_ = session_.queue.pushed();
    }
    for (std::uint32_t i = 0; i < batch && result_ && session_.queue.pop(event); ++i) {
      if (i == 0) codes_.modules.refresh();
      take(event);
      any = more = true;
    }
    if (late_ != 0 && session_.queue.popped() >= late_after_) {
      take_late();
      any = more = true;
    }
  }
  if (late_ != 0) any = true;  // a thread is just pushing: try again soon
  return any;
}

std::uint64_t trace_writer::since_start(std::uint64_t time) noexcept {
  // The encoder lets no time go back.
  const std::uint64_t since = std::max(time > start_time_ ? time - start_time_ : 0, earliest_);
  latest_ = std::max(latest_, since);
  return since;
}

void trace_writer::take(queued_event const& event) noexcept {
  const bool ours = event.session == number_;
  switch (event.kind) {
    case queued_kind::allocation:
      if (ours) allocation(event, traced_blocks[event.tag]);
      break;
    case queued_kind::promotion:
      if (ours) promotion(traced_blocks[event.tag], event.time);
      break;
    case queued_kind::collection:
      collection(event.tag, event.time, ours);
      break;
    case queued_kind::interrupt:
      if (ours) interrupt(event);
      break;
    case queued_kind::thread:
      if (ours) thread(event);
      break;
    case queued_kind::exit_began:
      if (ours) exit_began(event.time);
      break;
  }
}

void trace_writer::allocation(queued_event const& event, traced_block& block) noexcept {
  const std::span<std::uintptr_t const> frames = callstack::frames_of(event.stack);
  std::size_t depth = 0;
  if (const auto code = codes_.threads.code_of(event.thread); code != 0) backtrace_[depth++] = code;
  for (std::size_t i = std::min(frames.size(), callstack::largest_stack); i-- > 0;) {
    backtrace_[depth++] = codes_.modules.code_of(frames[i]);
  }
  using encoding::largest_number;
  const auto status = encoder_.allocation(
      since_start(event.time), event.source, std::min(event.length, largest_number),
      std::min(event.n_samples, largest_number), {backtrace_.data(), depth}, block.object);
  if (status != encoding::status::ok) {
    block.object = no_object;
    return;
  }
  unwritten_ = true;
  count(session_.counts.allocations);
}

void trace_writer::promotion(traced_block const& block, std::uint64_t time) noexcept {
  if (encoder_.promotion(since_start(time), block.object) != encoding::status::ok) return;
  unwritten_ = true;
  count(session_.counts.promotions);
}

void trace_writer::collection(std::uint32_t tag, std::uint64_t time, bool ours) noexcept {
  traced_block const& block = traced_blocks[tag];
  if (ours && encoder_.collection(since_start(time), block.object) == encoding::status::ok) {
    unwritten_ = true;
    count(session_.counts.collections);
  }
  traced_blocks.release(tag);
}

void trace_writer::interrupt(queued_event const& event) noexcept {
  const std::uint64_t time = since_start(event.time);
  const trace::interrupt what{.time = std::chrono::microseconds(time),
                              .kind = event.limit,
                              .allowed = static_cast<std::int64_t>(event.length),
                              .measured = static_cast<std::int64_t>(event.n_samples),
                              .deferrals = event.tag,
                              .thread = event.thread,
                              .stack = {}};
  if (encoder_.announce(time, notes_.add(what, event.stack)) != encoding::status::ok) return;
  unwritten_ = true;
}

void trace_writer::thread(queued_event const& event) noexcept {
  const std::array name{event.length, event.n_samples};
  if (codes_.threads.is_known(event.thread)) flush();
  codes_.threads.name(
      {.number = event.thread, .id = event.tag, .name = std::bit_cast<kernel_name>(name)});
}

void trace_writer::exit_began(std::uint64_t time) noexcept {
  flush();  // what was before is in packets before the note
  earliest_ = latest_ + 1;
  earliest_ = since_start(time);
  exit_note_ = {};
  char* const value = std::ranges::copy(encoding::exit_note_name, exit_note_.data()).out;
  *value = '=';
  std::to_chars(value + 1, exit_note_.data() + exit_note_.size() - 1, earliest_);
  if (encoder_.announce(earliest_, encoding::first_note_code) == encoding::status::ok) {
    unwritten_ = true;
  }
}

void trace_writer::take_late() noexcept {
  while (late_ != 0) {
    const std::uint32_t tag = late_;
    traced_block& block = traced_blocks[tag];
    // From the exchange on it may be in the list again, or, of a trace that has ended, released.
    late_ = block.next_late;
    const bool ours = block.session == number_;
    const std::uint32_t what = block.late.exchange(0, std::memory_order_acq_rel);
    if (ours && (what & traced_block::late_promotion) != 0) promotion(block, block.promoted_at);
    if ((what & traced_block::late_collection) != 0) collection(tag, block.collected_at, ours);
  }
}

bool trace_writer::flush() noexcept {
  if (!unwritten_) return true;
  unwritten_ = false;
  return encoder_.flush() == encoding::status::ok;
}

void trace_writer::end() noexcept {
  if (result_ && session_.counts.allocations.load(std::memory_order_relaxed) == 0) {
    unwritten_ = true;  // a trace without events is its trace-info and an empty packet
  }
  flush();
  file_.close();
}

}  // namespace memprof::tracer
