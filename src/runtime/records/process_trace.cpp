// SPDX-License-Identifier: MIT
#include "records/process_trace.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <chrono>
#include <cstring>
#include <utility>

#include "memprof/interrupted.hpp"

namespace memprof::records {

using relay::record_kind;

namespace {

constexpr std::uint64_t latest_start = std::uint64_t{1} << 61;

/// "memprof seed=N", for a replay; and whether sampled blocks are guarded.
std::string_view parameters(relay::popped_record const& begin, std::span<char, 64> text) noexcept {
  base::bounded_text all{text};
  (all << "memprof seed=").number(begin.body[1]);
  if (begin.head.detail == 1) all << " guard=1";
  return text.data();
}

}  // namespace

void process_trace::take(relay::popped_record const& r) noexcept {
  if (failed_ != failure::none) return;
  if (r.head.kind == record_kind::begin) return begin(r);
  if (!contents_) return;
  switch (r.head.kind) {
    case record_kind::begin:
      break;
    case record_kind::module:
      contents_->modules.announce(module_in(r));
      break;
    case record_kind::allocation:
      allocation(r);
      break;
    case record_kind::promotion:
      promotion(r.head);
      break;
    case record_kind::collection:
      collection(r.head.of, r.head.time);
      break;
    case record_kind::interrupt:
      interrupt(r);
      break;
    case record_kind::thread:
      name_thread(r);
      break;
    case record_kind::exit_began:
      exit_began(r.head.time);
      break;
    case record_kind::fault:
      // Of several the first counts: what follows may be its doing.
      if (!std::exchange(fault_noted_, true)) note("fault", r.text(0));
      break;
  }
}

std::span<trace::location const> process_trace::locate(void* trace,
                                                       trace::location_code code) noexcept {
  contents& c = *static_cast<process_trace*>(trace)->contents_;
  if (const auto note = code - encoding::first_note_code; note < c.notes.size()) {
    c.noted = {.filename = encoding::note_file, .defname = c.notes[note]};
    return {&c.noted, 1};
  }
  if (c.interrupts.has(code)) return c.interrupts.locate(code, c.names);
  if (encoding::is_thread_code(code)) return c.threads.locate(code);
  return c.names.locate(code);
}

bool process_trace::encoded(encoding::status how) noexcept {
  if (how == encoding::status::ok) unwritten_ = unwritten_events_ = true;
  if (how == encoding::status::write_failed) failed_ = failure::write;
  return how == encoding::status::ok;
}

void process_trace::begin(relay::popped_record const& r) noexcept {
  const auto rate = std::bit_cast<double>(r.body[0]);
  if (!(rate > 0.0 && rate <= 1.0)) return;
  if (!contents_ || !any_) return open(r, rate);
  // Another program in the same process: what the last one had is gone, and so is its code.
  for (std::size_t tag = 0; tag < objects_.size(); ++tag) {
    collection(static_cast<std::uint32_t>(tag), r.head.time);
  }
  contents_->modules.unload_all();
  threads_before_ = threads_;
  // It was executed by what the last one's exit called.
  if (exit_began_) announce_note(latest_, encoding::exit_note_name, "");
  exit_began_ = false;
}

void process_trace::open(relay::popped_record const& r, double rate) noexcept {
  start_time_ = std::min(r.head.time, latest_start);
  if (contents_) output_.restart(output_.context);
  contents& c = contents_.emplace();
  latest_ = earliest_ = 0;
  threads_before_ = threads_ = 0;
  exit_began_ = unwritten_ = unwritten_events_ = false;
  std::array<char, 64> text;
  const encoding::stream_info info{.version = encoding::newest_version,
                                   .sample_rate = rate,
                                   .word_bits = 64,
                                   .executable_name = r.text(relay::begin_words),
                                   .host_name = origin_.host_name,
                                   .runtime_parameters = parameters(r, text),
                                   .context = origin_.context,
                                   .pid = origin_.process,
                                   .initial_domain = 0,
                                   .start_time = start_time_};
  c.encoder.remember_in(c.last_backtrace);
  const auto how =
      c.encoder.open(info, {.context = this,
                            .write =
                                [](void* trace, std::span<std::byte const> packet) noexcept {
                                  auto const& to = static_cast<process_trace*>(trace)->output_;
                                  return to.write(to.context, packet);
                                },
                            .locate = &locate,
                            .draw_ids = nullptr});
  if (how == encoding::status::write_failed) failed_ = failure::write;
  if (how == encoding::status::not_encodable) failed_ = failure::encode;
}

std::uint64_t process_trace::since_start(std::uint64_t time) noexcept {
  // The encoder lets no time go back.
  const std::uint64_t since = time > start_time_ ? time - start_time_ : 0;
  latest_ = std::max(latest_, std::clamp(since, earliest_, latest_start));
  return latest_;
}

void process_trace::allocation(relay::popped_record const& r) noexcept {
  const std::uint32_t tag = r.head.of;
  if (tag == 0 || tag >= most_tags || r.head.detail > 2) return;
  if (!objects_.grow_to(tag + std::size_t{1})) {
    failed_ = failure::memory;
    return;
  }
  contents& c = *contents_;
  std::size_t depth = 0;
  if (const std::uint32_t thread = number_of(r.body[2]); thread != 0) {
    if (const auto code = c.threads.code_of(thread); code != 0) backtrace_[depth++] = code;
  }
  const auto frames = r.body.subspan(relay::allocation_words);
  for (std::size_t i = frames.size(); i-- > 0;) {
    if (frames[i] > 1) backtrace_[depth++] = c.modules.code_of(frames[i]);
  }
  using encoding::largest_number;
  trace::object_id id = 0;
  const auto how = c.encoder.allocation(
      since_start(r.head.time), static_cast<trace::heap>(r.head.detail),
      std::min(r.body[0], largest_number), std::clamp<std::uint64_t>(r.body[1], 1, largest_number),
      {backtrace_.data(), depth}, id);
  objects_[tag] = encoded(how) ? id + 1 : 0;
  if (how != encoding::status::ok) return;
  any_ = true;
  ++counts_.allocations;
}

void process_trace::promotion(relay::record_head const& of) noexcept {
  if (of.of >= objects_.size() || objects_[of.of] == 0) return;
  if (encoded(contents_->encoder.promotion(since_start(of.time), objects_[of.of] - 1))) {
    ++counts_.promotions;
  }
}

void process_trace::collection(std::uint32_t tag, std::uint64_t time) noexcept {
  if (tag >= objects_.size() || objects_[tag] == 0) return;
  if (encoded(contents_->encoder.collection(since_start(time), objects_[tag] - 1))) {
    ++counts_.collections;
  }
  objects_[tag] = 0;
}

std::uint32_t process_trace::number_of(std::uint64_t thread) noexcept {
  if (thread == 0) return 0;
  const std::uint64_t most = trace::most_threads;
  const auto number =
      static_cast<std::uint32_t>(std::min(std::min(thread, most) + threads_before_, most));
  threads_ = std::max(threads_, number);
  return number;
}

void process_trace::name_thread(relay::popped_record const& r) noexcept {
  named_thread t{.number = number_of(r.head.of), .id = static_cast<std::uint32_t>(r.body[0])};
  if (t.number == 0) return;
  std::memcpy(t.name.data(), &r.body[1], t.name.size());
  if (contents_->threads.is_known(t.number)) flush();
  contents_->threads.name(t);
}

void process_trace::interrupt(relay::popped_record const& r) noexcept {
  if (r.head.detail > static_cast<std::uint8_t>(limit_kind::deadline)) return;
  contents& c = *contents_;
  const std::uint64_t time = since_start(r.head.time);
  const auto code = c.interrupts.add({.time = std::chrono::microseconds(time),
                                      .kind = static_cast<limit_kind>(r.head.detail),
                                      .allowed = static_cast<std::int64_t>(r.body[0]),
                                      .measured = static_cast<std::int64_t>(r.body[1]),
                                      .deferrals = r.body[2],
                                      .thread = r.head.of,
                                      .stack = {}},
                                     r.body.subspan(relay::interrupt_words), c.modules);
  if (encoded(c.encoder.announce(time, code))) any_ = true;
}

void process_trace::exit_began(std::uint64_t time) noexcept {
  earliest_ = latest_ + 1;
  earliest_ = since_start(time);
  std::array<char, 24> text{};
  std::to_chars(text.data(), text.data() + text.size() - 1, earliest_);
  announce_note(earliest_, encoding::exit_note_name, text.data());
  exit_began_ = true;
}

void process_trace::note(std::string_view name, std::string_view value) noexcept {
  if (contents_ && failed_ == failure::none) announce_note(latest_, name, value);
}

void process_trace::announce_note(std::uint64_t time, std::string_view name,
                                  std::string_view value) noexcept {
  if (unwritten_events_) flush();  // what was before is in packets before the note
  contents& c = *contents_;
  std::array<char, encoding::longest_note> text;
  char* at = std::ranges::copy(name.substr(0, 64), text.data()).out;
  *at++ = '=';
  const auto room = static_cast<std::size_t>(text.data() + text.size() - at);
  at = std::ranges::copy(value.substr(0, value.find('\0')).substr(0, room), at).out;
  const auto code = encoding::first_note_code + c.notes.size();
  if (!c.notes.push_back(c.texts.keep({text.data(), static_cast<std::size_t>(at - text.data())}))) {
    return;
  }
  encoded(c.encoder.announce(time, code));
  unwritten_events_ = false;
}

void process_trace::flush() noexcept {
  if (!contents_ || failed_ != failure::none || !unwritten_) return;
  encoded(contents_->encoder.flush());
  unwritten_ = unwritten_events_ = false;
}

void process_trace::end() noexcept {
  if (!any_) unwritten_ = true;  // a trace without events is its trace-info and an empty packet
  flush();
}

}  // namespace memprof::records
