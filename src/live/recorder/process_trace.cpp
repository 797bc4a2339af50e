// SPDX-License-Identifier: MIT
#include "recorder/process_trace.hpp"

#include <exception>
#include <utility>

#include "recorder/process_facts.hpp"

namespace memprof::recorder {

/// A trace that cannot be written any more ends where it is.
template <class Step>
bool process_trace::guarded(Step step) noexcept {
  try {
    step();
    return true;
  } catch (std::exception const& e) {
    failure_ = e.what();
    return false;
  }
}

process_trace::process_trace(trace_description what)
    : what_(std::move(what)), host_name_(host_name()) {
  const records::packet_output output{
      .context = this,
      .write =
          [](void* context, std::span<std::byte const> packet) noexcept {
            auto& self = *static_cast<process_trace*>(context);
            return self.guarded([&] {
              if (!self.output_) self.output_.emplace(self.what_.file, self.what_.file_is_there);
              self.output_->write(packet);
            });
          },
      .restart =
          [](void* context) noexcept {
            auto& self = *static_cast<process_trace*>(context);
            if (self.output_) self.output_->restart();
          }};
  // Not zeroed: most of it is never touched.
  trace_ = std::make_unique<records::process_trace>(
      records::trace_origin{
          .host_name = host_name_, .context = what_.context, .process = what_.process},
      output);
}

void process_trace::take(relay::popped_record const& r) noexcept {
  if (!failure_.empty()) return;
  trace_->take(r);
  look_for_failure();
}

void process_trace::look_for_failure() noexcept {
  using failure = records::process_trace::failure;
  const failure how = trace_->failed();
  if (failure_.empty() && (how == failure::encode || how == failure::memory)) {
    guarded([&] {
      failure_ = "cannot write trace file " + what_.file +
                 (how == failure::encode ? ": its texts do not fit a packet" : ": no memory");
    });
  }
  sampled_ = trace_->sampled();
}

void process_trace::note(std::string const& name, std::string const& value) noexcept {
  if (failure_.empty()) guarded([&] { notes_[name] = value; });
}

void process_trace::flush() noexcept {
  if (trace_) trace_->flush();
}

void process_trace::close() noexcept {
  if (trace_ && failure_.empty() && trace_->has_begun()) {
    for (auto const& [name, value] : notes_) trace_->note(name, value);
    trace_->end();
    look_for_failure();
  }
  trace_.reset();
  output_.reset();
}

std::uint64_t process_trace::age() const noexcept {
  if (!trace_ || !trace_->has_begun()) return 0;
  const std::uint64_t time = microseconds_now();
  return time > trace_->start_time() ? time - trace_->start_time() : 0;
}

}  // namespace memprof::recorder
