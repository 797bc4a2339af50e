// SPDX-License-Identifier: MIT
#include "memprof/tracing.hpp"

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

#include "memprof/callstack.hpp"
#include "memprof/interrupted.hpp"

#include "copies/copies.hpp"
#include "engine/engine.hpp"
#include "tracer/exit_mark.hpp"
#include "tracer/messages.hpp"
#include "tracer/request.hpp"
#include "tracer/session.hpp"

namespace memprof::inline v0 {
namespace {

using tracer::outcome;
using tracer::settings;
using tracer::step;

[[noreturn]] void refuse(char const* function, std::string const& what) {
  throw std::invalid_argument(std::string("memprof::") + function + ": " + what);
}

void fill_in(settings& wanted, char const* function, std::string const& file,
             tracing_options const& options) {
  if (!(options.rate.per_word() > 0.0 && options.rate.per_word() <= 1.0)) {
    refuse(function, "the rate " + std::to_string(options.rate.per_word()) + " is not in (0, 1]");
  }
  if (file.empty()) refuse(function, "the file has no name");
  if (file.find('\0') != std::string::npos || !tracer::set_file(wanted, file.c_str())) {
    refuse(function, "the file's name is too long, or has a zero in it");
  }
  tracer::set_context(wanted, options.context.c_str());
  wanted.rate = options.rate.per_word();
  wanted.callstack_size = options.callstack_size.value_or(callstack_depth());
  if (wanted.callstack_size > callstack::largest_stack) {
    refuse(function, "callstack_size is over " + std::to_string(callstack::largest_stack));
  }
}

[[noreturn]] void fail(outcome const& how, settings const& wanted) {
  if (how.failed == step::thread && how.reason == EALREADY) {
    throw std::logic_error("memprof::start_tracing: only one trace may be written at a time");
  }
  std::array<char, tracer::longest_message> text;
  tracer::describe(how, wanted, text, false);
  throw std::system_error(how.reason, std::system_category(),
                          "memprof: " + std::string(text.data()));
}

}  // namespace

void start_tracing(std::string const& file, tracing_options const& options) {
  if (auto const* const other = copies::other()) return other->start_tracing(file, options);
  settings wanted;
  fill_in(wanted, "start_tracing", file, options);
  engine::ensure_started();
  if (!engine::has_source()) throw not_active("start_tracing");
  if (const outcome how = tracer::start(wanted); !how) fail(how, wanted);
  tracer::mark_exit_by_handler();
}

void stop_tracing() noexcept {
  if (auto const* const other = copies::other()) return other->stop_tracing();
  tracer::stop();
}

bool currently_tracing() noexcept {
  if (auto const* const other = copies::other()) return other->currently_tracing();
  return tracer::the_session.now.load(std::memory_order_acquire) == tracer::phase::running;
}

void trace_if_requested(std::string const& context, sampling_rate rate) {
  if (auto const* const other = copies::other()) return other->trace_if_requested(context, rate);
  if (currently_tracing()) return;
  char const* const named = tracer::requested_file();
  if (named == nullptr) return;
  const std::string file = named;
  base::setting_error error;
  double per_word = rate.per_word();
  tracer::read_rate(per_word, error);
  if (error) throw std::invalid_argument(std::string("memprof::trace_if_requested: ") + error.text);
  tracer::forget_request();
  start_tracing(file, {.rate = sampling_rate{per_word}, .context = context, .callstack_size = {}});
}

tracing_counters counters_of_tracing() noexcept {
  if (auto const* const other = copies::other()) return other->counters_of_tracing();
  tracer::counters const& c = tracer::the_session.counts;
  constexpr auto relaxed = std::memory_order_relaxed;
  return {.allocations = c.allocations.load(relaxed),
          .promotions = c.promotions.load(relaxed),
          .collections = c.collections.load(relaxed),
          .dropped = tracer::dropped_so_far(),
          .bytes_written = c.bytes.load(relaxed)};
}

}  // namespace memprof::inline v0
