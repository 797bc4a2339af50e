// SPDX-License-Identifier: MIT
#include "recorder/process_trace.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <exception>
#include <string>
#include <string_view>

#include "encoding/encoding.hpp"
#include "recorder/process_facts.hpp"
#include "relay/relay.hpp"

namespace memprof::recorder {
namespace {

using relay::popped_record;
using relay::record_kind;

}  // namespace

/// A trace that cannot be written any more ends where it is.
template <class Step>
void process_trace::guarded(Step step) noexcept {
  if (!failure_.empty()) return;
  try {
    step();
  } catch (std::exception const& e) {
    failure_ = e.what();
  }
}

void process_trace::take(popped_record const& r) noexcept {
  guarded([&] {
    if (r.head.kind == record_kind::begin) return begin(r);
    if (!writer_) return;
    switch (r.head.kind) {
      case record_kind::begin:
        break;
      case record_kind::module:
        modules_.announce(module_in(r));
        break;
      case record_kind::allocation:
        allocation(r);
        break;
      case record_kind::promotion:
        if (r.head.of < objects_.size() && objects_[r.head.of] != no_object) {
          writer_->promotion(since_start(r.head.time), objects_[r.head.of]);
        }
        break;
      case record_kind::collection:
        if (r.head.of < objects_.size() && objects_[r.head.of] != no_object) {
          writer_->collection(since_start(r.head.time), objects_[r.head.of]);
          objects_[r.head.of] = no_object;
        }
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
      case record_kind::fault:  // of several the first counts: what follows may be its doing
        notes_.emplace("fault", r.text(0));
        break;
    }
  });
}

void process_trace::note(std::string const& name, std::string const& value) noexcept {
  guarded([&] { notes_[name] = value; });
}

void process_trace::flush() noexcept {
  guarded([&] {
    if (writer_) writer_->flush();
  });
}

void process_trace::close() noexcept {
  guarded([&] {
    if (!writer_) return;
    for (auto const& [name, value] : notes_) writer_->put({.name = name, .value = value});
    // A trace without events is its trace-info and an empty packet.
    if (!any_) writer_->close();
    writer_->flush();
  });
  writer_.reset();
  output_.reset();
}

std::uint64_t process_trace::age() const noexcept {
  const std::uint64_t time = microseconds_now();
  return writer_ && time > start_time_ ? time - start_time_ : 0;
}

void process_trace::begin(popped_record const& r) {
  const auto rate = std::bit_cast<double>(r.body[0]);
  if (!(rate > 0.0 && rate <= 1.0)) return;
  if (writer_ && any_) {
    // Another program in the same process: what the last one had is gone, and so is its code.
    collect_all(r.head.time);
    modules_.unload_all();
    threads_before_ = threads_;
    // It was executed by what the last one's exit called.
    if (exit_began_) writer_->put({.name = encoding::exit_note_name, .value = ""});
    exit_began_ = false;
  } else {
    open(r, rate);
  }
}

void process_trace::open(popped_record const& r, double rate) {
  start_time_ = std::min(r.head.time, std::uint64_t{1} << 61);
  writer_.reset();
  if (output_) {
    output_->restart();
  } else {
    output_ = std::make_unique<trace_output>(what_.file, what_.file_is_there);
  }
  modules_ = {};
  latest_ = earliest_ = 0;
  threads_before_ = threads_ = 0;
  exit_began_ = false;
  trace::info info;
  info.version = encoding::newest_version;
  info.sample_rate = rate;
  info.word_bits = 64;
  info.executable_name = r.text(relay::begin_words);
  info.host_name = host_name();
  info.runtime_parameters = "memprof seed=" + std::to_string(r.body[1]);
  if (r.head.detail == 1) info.runtime_parameters += " guard=1";
  info.context = what_.context;
  info.pid = what_.process;
  info.start_time = decltype(info.start_time)(std::chrono::microseconds(start_time_));
  writer_.emplace([to = output_.get()](std::span<std::byte const> packet) { to->write(packet); },
                  info, [this](trace::location_code code) { return modules_.locate(code); });
}

std::chrono::microseconds process_trace::since_start(std::uint64_t time) noexcept {
  // The writer lets no time go back.
  const std::uint64_t since = time > start_time_ ? time - start_time_ : 0;
  latest_ = std::max(latest_, std::clamp(since, earliest_, std::uint64_t{1} << 61));
  return std::chrono::microseconds(latest_);
}

void process_trace::exit_began(std::uint64_t time) {
  earliest_ = latest_ + 1;
  earliest_ = static_cast<std::uint64_t>(since_start(time).count());
  writer_->put({.name = encoding::exit_note_name, .value = std::to_string(earliest_)});
  exit_began_ = true;
}

void process_trace::allocation(popped_record const& r) {
  if (r.head.of == 0 || r.head.of >= most_tags || r.head.detail > 2) return;
  const auto frames = r.body.subspan(relay::allocation_words);
  backtrace_.clear();
  for (std::size_t i = frames.size(); i-- > 0;) {
    if (frames[i] > 1) backtrace_.push_back(modules_.code_of(frames[i]));
  }
  if (r.head.of >= objects_.size()) objects_.resize(r.head.of + std::size_t{1}, no_object);
  using encoding::largest_number;
  objects_[r.head.of] = writer_->allocation(
      since_start(r.head.time), static_cast<trace::heap>(r.head.detail),
      std::min(r.body[0], largest_number), std::clamp<std::uint64_t>(r.body[1], 1, largest_number),
      backtrace_, 0, number_of(r.body[2]));
  any_ = true;
}

std::uint32_t process_trace::number_of(std::uint64_t thread) noexcept {
  if (thread == 0) return 0;
  const std::uint64_t most = trace::most_threads;
  const auto number =
      static_cast<std::uint32_t>(std::min(std::min(thread, most) + threads_before_, most));
  threads_ = std::max(threads_, number);
  return number;
}

void process_trace::name_thread(popped_record const& r) {
  std::array<char, 16> name;
  std::memcpy(name.data(), &r.body[1], name.size());
  writer_->put(
      trace::thread{.number = number_of(r.head.of),
                    .id = r.body[0],
                    .name = std::string_view(name.data(), strnlen(name.data(), name.size()))});
}

void process_trace::interrupt(popped_record const& r) {
  if (r.head.detail > static_cast<std::uint8_t>(limit_kind::deadline)) return;
  const auto frames = r.body.subspan(relay::interrupt_words);
  // The texts of a location live until the next one is looked up.
  std::vector<trace::location> stack;
  std::vector<std::pair<std::string, std::string>> texts;
  texts.reserve(frames.size());
  for (std::size_t i = frames.size(); i-- > 0;) {
    for (trace::location l : modules_.locate(modules_.code_of(frames[i]))) {
      auto const& [file, name] = texts.emplace_back(l.filename, l.defname);
      l.filename = file;
      l.defname = name;
      stack.push_back(l);
    }
  }
  writer_->put(trace::interrupt{.time = since_start(r.head.time),
                                .kind = static_cast<limit_kind>(r.head.detail),
                                .allowed = static_cast<std::int64_t>(r.body[0]),
                                .measured = static_cast<std::int64_t>(r.body[1]),
                                .deferrals = r.body[2],
                                .thread = r.head.of,
                                .stack = stack});
  any_ = true;
}

void process_trace::collect_all(std::uint64_t time) {
  for (trace::object_id& object : objects_) {
    if (object != no_object) writer_->collection(since_start(time), object);
    object = no_object;
  }
}

}  // namespace memprof::recorder
