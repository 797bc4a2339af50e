// SPDX-License-Identifier: MIT
#include "profile/profile.hpp"

#include <stdexcept>
#include <string>

#include "memprof/callstack.hpp"
#include "memprof/interrupted.hpp"
#include "memprof/sampling.hpp"

#include "callstack/callstack.hpp"
#include "copies/copies.hpp"
#include "engine/engine.hpp"
#include "profile/calls.hpp"

namespace memprof::inline v0 {
namespace {

using profiling::session;

[[noreturn]] void misuse(char const* what) {
  throw std::logic_error(std::string("memprof::") + what);
}

void check_start(std::size_t callstack_size) {
  engine::ensure_started();
  if (char const* const error = engine::configuration_error()) throw std::invalid_argument(error);
  if (callstack_size > callstack::largest_stack) {
    throw std::invalid_argument("memprof::start: callstack_size is over " +
                                std::to_string(callstack::largest_stack) + ": " +
                                std::to_string(callstack_size));
  }
  if (!engine::has_source()) throw not_active("start");
}

/// Whether the tracker's functions may still run, on other threads, when it returns.
void forget(session& s) noexcept {
  const bool inside = profiling::in_user_call();
  {
    const engine::muted_section muted;
    const profiling::user_call call;
    profiling::drop_entries(s);
    profiling::leave(s);
  }
  if (!inside) profiling::wait_until_over(s);
}

}  // namespace

profile start_profile(sampling_rate rate, std::unique_ptr<detail::tracker_functions> functions,
                      profile_options options) {
  if (auto const* const other = copies::other())
    return other->start_profile(rate, std::move(functions), options);
  const std::size_t callstack_size = options.callstack_size.value_or(callstack_depth());
  check_start(callstack_size);
  session* const s = profiling::open_session();
  if (s == nullptr) throw std::bad_alloc();
  s->callstack_size = callstack_size;
  s->functions = functions.release();
  profile started(s);
  if (!profiling::begin_sampling(*s, rate.per_word())) {
    misuse("start: a profile is sampling already; stop it first");
  }
  return started;
}

namespace detail {

void end_profile(profile_session* session) noexcept {
  if (auto const* const other = copies::other()) return other->end_profile(session);
  profiling::end_sampling(*session);
  if (profiling::close(*session)) forget(*session);
  profiling::release(*session);
}

void stop_profile(profile_session* session) {
  if (auto const* const other = copies::other()) return other->stop_profile(session);
  if (!profiling::end_sampling(*session)) {
    misuse("profile::stop: the profile is not sampling");
  }
}

void discard_profile(profile_session* session) {
  if (auto const* const other = copies::other()) return other->discard_profile(session);
  if (!profiling::close(*session)) misuse("profile::discard: the profile was discarded before");
  forget(*session);
}

}  // namespace detail

profile::~profile() {
  if (session_ != nullptr) detail::end_profile(session_);
}

void profile::stop() {
  if (session_ == nullptr) misuse("profile::stop: the profile is not sampling");
  detail::stop_profile(session_);
}

void profile::discard() {
  if (session_ == nullptr) misuse("profile::discard: the profile was moved from");
  if (is_sampling()) misuse("profile::discard: the profile is sampling; stop it first");
  detail::discard_profile(session_);
}

bool profile::is_sampling() const noexcept {
  return session_ != nullptr && session_->sampling.load(std::memory_order_acquire);
}

std::uint64_t profile::failures() const noexcept {
  return session_ == nullptr ? 0 : session_->failures.load(std::memory_order_relaxed);
}

std::exception_ptr profile::failure() const noexcept {
  const bool there =
      session_ != nullptr && session_->failure_state.load(std::memory_order_acquire) == 2;
  return there ? session_->failure : nullptr;
}

}  // namespace memprof::inline v0
