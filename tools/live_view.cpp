// SPDX-License-Identifier: MIT
#include "tools/live_view.hpp"

#include <exception>
#include <fmt/format.h>
#include <utility>

#include "memprof/version.hpp"

#include "symbolize/symbolize.hpp"
#include "tools/message.hpp"

namespace memprof::tools {

live_view::live_view(recorded_files const& files, live_view_options options)
    : files_(files), options_(std::move(options)) {}

void live_view::begin(pid_t process) noexcept try {
  trace_ = std::make_shared<page_server::served_trace>(page_server::trace_options{
      .file = files_.of(std::to_string(process)).written.string(),
      .recover = false,
      .awaited = true,
      .names = options_.no_symbols ? nullptr : std::make_shared<symbolize::resolver>(),
      .version = MEMPROF_VERSION_STRING});
  server_ = begin_serving(trace_, nullptr, options_.serving, say_lines);
} catch (std::exception const& e) {
  message(fmt::format("{}; the trace is recorded, but not served", e.what()));
}

void live_view::follow(std::string const& file) {
  if (trace_) trace_->follow(file);
}

void live_view::wait() {
  if (!server_) return;
  end_signals signals;
  if (!options_.quiet) message(fmt::format("{} stays up until Ctrl-C", server_->url()));
  signals.wait();
}

}  // namespace memprof::tools
