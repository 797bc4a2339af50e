// SPDX-License-Identifier: MIT
#include "memprof/trace/writer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "memprof/trace/reader.hpp"

#include "encoding/encoding.hpp"
#include "trace/packet_file.hpp"
#include "trace/thread_names.hpp"
#include "trace/writer_domain.hpp"

namespace memprof::inline v0::trace {

namespace {

void need(bool fits, char const* what) {
  if (!fits) throw std::invalid_argument(std::string("memprof::trace::writer: ") + what);
}

encoding::stream_info checked(trace::info const& info) {
  need(info.version == 2 || info.version == 3, "info.version is not 2 or 3");
  need(info.sample_rate > 0.0 && info.sample_rate <= 1.0, "info.sample_rate is not in (0, 1]");
  need(info.word_bits == 32 || info.word_bits == 64, "info.word_bits is not 32 or 64");
  need(info.initial_domain == 0 || info.version == 3,
       "info.initial_domain is not 0, as it is before version 3");
  auto const start = info.start_time.time_since_epoch().count();
  need(start >= 0 && start < std::int64_t{1} << 62, "info.start_time is out of range");
  std::size_t const texts = info.executable_name.size() + info.host_name.size() +
                            info.runtime_parameters.size() + info.context.size();
  need(texts <= encoding::packet_capacity - 128, "the texts of info do not fit a packet");
  return {.version = info.version,
          .sample_rate = info.sample_rate,
          .word_bits = info.word_bits,
          .executable_name = info.executable_name,
          .host_name = info.host_name,
          .runtime_parameters = info.runtime_parameters,
          .context = info.context,
          .pid = info.pid,
          .initial_domain = info.initial_domain,
          .start_time = static_cast<std::uint64_t>(start)};
}

}  // namespace

/// memtrace's tools mix the events of domains so: before an event of another domain than the last
/// one, the packet begun is written, events or not.
struct writer::state {
  packet_sink sink;
  std::unique_ptr<packet_file> file;  ///< null if there is a sink of the user
  trace::info info;
  encoding::stream_info stream;
  location_lookup lookup;
  std::exception_ptr thrown;  ///< by one of these, while the encoder ran
  std::uint64_t next_chunk = 0;
  std::map<std::uint16_t, std::unique_ptr<writer_domain>> domains;
  writer_domain* current = nullptr;
  bool unwritten = false;         ///< anything since the last packet that `flush` wrote
  bool unwritten_events = false;  ///< blocks' events since then
  std::size_t notes_copied = 0;   ///< of the reader of `put_notes_of`
  std::size_t threads_copied = 0;
  std::uint16_t current_domain = 0;
  std::unordered_set<std::string> names;  ///< that the encoders' tables refer to
  std::vector<location> located;
  std::vector<interrupt> interrupts;  ///< their stacks are in `stacks`
  std::deque<std::vector<location>> stacks;
  std::deque<std::string> notes;  ///< "NAME=VALUE"
  thread_names threads;

  state(packet_sink s, trace::info const& i, location_lookup l)
      : sink(std::move(s)), info(i), stream(checked(info)), lookup(std::move(l)) {}

  void open() {
    current_domain = info.initial_domain;
    current = (domains[current_domain] = std::make_unique<writer_domain>()).get();
    check(current->encoder.open(stream, outside()));
  }

  writer_domain& of(std::uint16_t domain) {
    unwritten = unwritten_events = true;
    if (domain == current_domain) return *current;
    need(info.version == 3, "a domain that is not 0, as it is before version 3");
    check(current->encoder.flush());
    auto& found = domains[domain];
    if (!found) {
      found = std::make_unique<writer_domain>();
      check(found->encoder.join(stream, domain, outside()));
    }
    current = found.get();
    current_domain = domain;
    return *current;
  }

  encoding::encoder_callbacks outside() noexcept {
    return {.context = this,
            .write =
                [](void* context, std::span<std::byte const> packet) noexcept {
                  return static_cast<state*>(context)->write(packet);
                },
            .locate =
                [](void* context, location_code code) noexcept {
                  return static_cast<state*>(context)->locate(code);
                },
            .draw_ids =
                [](void* context, std::uint64_t count) noexcept {
                  auto& next = static_cast<state*>(context)->next_chunk;
                  return std::exchange(next, next + count);
                }};
  }

  bool write(std::span<std::byte const> packet) noexcept {
    if (thrown) return false;
    try {
      sink(packet);
      return true;
    } catch (...) {
      thrown = std::current_exception();
      return false;
    }
  }

  std::span<location const> locate(location_code code) noexcept {
    if (thrown) return {};
    try {
      auto const number = code - encoding::first_interrupt_code;
      if (number < interrupts.size()) return interrupt_note(interrupts[number]);
      auto const note_number = code - encoding::first_note_code;
      if (note_number < notes.size()) {
        located.assign(1, {.filename = encoding::note_file, .defname = notes[note_number]});
        return located;
      }
      if (std::string const* const thread = threads.text_of(code)) {
        located.assign(1, {.filename = encoding::thread_file, .defname = *thread});
        return located;
      }
      keep(lookup(code));
      return located;
    } catch (...) {
      thrown = std::current_exception();
      return {};
    }
  }

  /// In `located`, with names that stay.
  void keep(std::span<location const> locations) {
    located.assign(locations.begin(), locations.end());
    for (location& l : located) {
      l.filename = *names.emplace(l.filename).first;
      l.defname = *names.emplace(l.defname).first;
    }
  }

  std::span<location const> interrupt_note(interrupt const& i) {
    std::array<char, encoding::longest_interrupt_note> text;
    location const text_location{.filename = encoding::interrupt_file,
                                 .defname = encoding::interrupt_text(i, text)};
    keep(i.stack.last(encoding::fitting_stack(i.stack, text_location)));
    located.push_back(text_location);
    located.back().defname = *names.emplace(text_location.defname).first;
    return located;
  }

  void check(encoding::status status) {
    switch (status) {
      case encoding::status::ok:
        return;
      case encoding::status::write_failed:
        if (thrown) std::rethrow_exception(thrown);
        throw std::logic_error("memprof::trace::writer: used after an error");
      case encoding::status::not_encodable:
        need(false, "numbers that the format cannot hold");
    }
  }
};

namespace {

std::uint64_t since_start(std::chrono::microseconds time) noexcept {
  return time.count() < 0 ? 0 : static_cast<std::uint64_t>(time.count());
}

}  // namespace

writer::writer(packet_sink sink, trace::info const& info, location_lookup lookup)
    : state_(new state(std::move(sink), info, std::move(lookup))) {
  state_->open();
}

writer::writer(std::filesystem::path const& file, trace::info const& info, location_lookup lookup)
    : state_(new state({}, info, std::move(lookup))) {
  state_->file = std::make_unique<packet_file>(file);
  state_->sink = [out = state_->file.get()](std::span<std::byte const> packet) {
    out->write(packet);
  };
  state_->open();
}

writer::~writer() = default;
writer::writer(writer&&) noexcept = default;
writer& writer::operator=(writer&&) noexcept = default;

object_id writer::allocation(std::chrono::microseconds time, heap source, std::uint64_t length,
                             std::uint64_t n_samples, std::span<location_code const> backtrace,
                             std::uint16_t domain, std::uint32_t thread) {
  writer_domain& of = state_->of(domain);
  if (thread != 0) backtrace = state_->threads.in_front(thread, backtrace);
  of.make_room(backtrace.size());
  object_id id = 0;
  state_->check(of.encoder.allocation(since_start(time), source, length, n_samples, backtrace, id));
  return id;
}

void writer::promotion(std::chrono::microseconds time, object_id object, std::uint16_t domain) {
  state_->check(state_->of(domain).encoder.promotion(since_start(time), object));
}

void writer::collection(std::chrono::microseconds time, object_id object, std::uint16_t domain) {
  state_->check(state_->of(domain).encoder.collection(since_start(time), object));
}

object_id writer::put(event const& e) {
  switch (e.kind) {
    case event_kind::allocation: {
      // memtrace's copying tools ask for the id beforehand, which ends the packet at its last
      // event; a program that is traced ends it at the event to come.
      writer_domain& of = state_->of(e.domain);
      if (of.encoder.ids_used_up()) state_->check(of.encoder.flush());
      return allocation(e.time, e.source, e.length, e.n_samples, e.backtrace, e.domain, e.thread);
    }
    case event_kind::promotion:
      promotion(e.time, e.object, e.domain);
      break;
    case event_kind::collection:
      collection(e.time, e.object, e.domain);
      break;
  }
  return e.object;
}

void writer::put(interrupt const& i) {
  auto& stack = state_->stacks.emplace_back(i.stack.begin(), i.stack.end());
  for (location& l : stack) {
    l.filename = *state_->names.emplace(l.filename).first;
    l.defname = *state_->names.emplace(l.defname).first;
  }
  interrupt kept = i;
  kept.stack = stack;
  auto const code = encoding::first_interrupt_code + state_->interrupts.size();
  state_->interrupts.push_back(kept);
  state_->unwritten = true;
  state_->check(state_->current->encoder.announce(since_start(i.time), code));
}

void writer::put(note const& n) {
  if (std::exchange(state_->unwritten_events, false)) {
    state_->check(state_->current->encoder.flush());
  }
  std::string text = std::string(n.name) + "=" + std::string(n.value.substr(0, n.value.find('\0')));
  text.resize(std::min(text.size(), encoding::longest_note));
  auto const code = encoding::first_note_code + state_->notes.size();
  state_->notes.push_back(std::move(text));
  state_->unwritten = true;
  state_->check(state_->current->encoder.announce(0, code));
}

void writer::put(thread const& t) {
  if (t.number != 0) state_->threads.name(t);
}

void writer::put_notes_of(reader const& from) {
  for (const auto threads = from.threads(); state_->threads_copied < threads.size();) {
    put(threads[state_->threads_copied++]);
  }
  for (const auto notes = from.notes(); state_->notes_copied < notes.size();) {
    put(notes[state_->notes_copied++]);
  }
}

void writer::flush() {
  state_->unwritten_events = false;
  if (!std::exchange(state_->unwritten, false)) return;
  state_->check(state_->current->encoder.flush());
}

void writer::close() {
  state_->check(state_->current->encoder.flush());
  if (state_->file) state_->file->close();
}

}  // namespace memprof::inline v0::trace
