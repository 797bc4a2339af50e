// SPDX-License-Identifier: MIT
#include "engine/process_state.hpp"

#include <pthread.h>
#include <sched.h>

#include "memprof/units.hpp"

#include "base/base.hpp"
#include "callstack/callstack.hpp"
#include "engine/address_index.hpp"
#include "engine/handler_list.hpp"
#include "engine/observer_calls.hpp"
#include "engine/process_seed.hpp"
#include "engine/thread_state.hpp"
#include "engine/totals.hpp"
#include "engine/tracked_block.hpp"

namespace memprof::engine {

constinit std::atomic<std::uint32_t> rate_version{0};
constinit std::atomic<bool> guard_wanted{false};

void rates_changed() noexcept { rate_version.fetch_add(1, std::memory_order_release); }

namespace {

enum class phase : int { fresh, starting, started };

constexpr double unset = -1.0;

constinit std::atomic<phase> start_phase{phase::fresh};
constinit base::setting_error error;
constinit std::atomic<double> process_rate_setting{default_sampling_rate.per_word()};
constinit std::atomic<double> limit_rate_setting{unset};
constinit std::atomic<int> askers{0};
constinit std::atomic<int> sources{0};
constinit std::atomic<bool> replaced{false};

constinit handler_list child_handlers;
constinit handler_list fork_handlers;
constinit handler_list exit_handlers;
pthread_key_t exit_key;

// Other destructors of thread-local data may still allocate after this one: their blocks are
// major at once, and not audited.
void at_thread_exit(void*) noexcept {
  const muted_section muted;
  current.exited = true;
  current.keeps = false;
  current.audit.close(position_now());
  empty_nursery();
  give_back_spare_record();
  exit_handlers.call();
  close_totals_of_thread();
  callstack::end_thread();
}

void at_fork() noexcept {
  number_fork();
  fork_handlers.call();
}

void at_fork_in_child() noexcept {
  take_seed_of_child();
  restart_random_after_fork();
  reset_address_index_after_fork();
  reset_audit_after_fork();
  reset_grants_after_fork();
  reset_observers_after_fork();
  child_handlers.call();
}

void adopt_environment() noexcept {
  environment_settings s = read_environment(error);
  if (error) {
    base::raw_message(error.text);
    s.rate = 0.0;
  }
  process_rate_setting.store(s.rate, std::memory_order_relaxed);
  guard_wanted.store(s.guard, std::memory_order_relaxed);
  configure_seed(s.seed);
  nursery_words.store(static_cast<std::int64_t>(s.nursery_words), std::memory_order_relaxed);
}

}  // namespace

environment_settings read_environment(base::setting_error& problem) noexcept {
  environment_settings s{
      .rate = default_sampling_rate.per_word(),
      .seed = base::random_bits(),
      .nursery_words = static_cast<std::uint64_t>(nursery_words.load(std::memory_order_relaxed)),
      .guard = false};
  base::read_setting("MEMPROF_RATE", 0.0, 1.0, s.rate, problem);
  base::read_setting("MEMPROF_SEED", 0, ~std::uint64_t{0}, s.seed, problem);
  base::read_setting("MEMPROF_NURSERY", 1, std::uint64_t{1} << 60, s.nursery_words, problem);
  static constexpr char const* off_or_on[] = {"0", "1"};
  std::size_t guard = 0;
  base::read_setting("MEMPROF_GUARD", off_or_on, guard, problem);
  s.guard = guard == 1;
  callstack::read_settings(problem);
  return s;
}

void ensure_process_started() noexcept {
  phase seen = start_phase.load(std::memory_order_acquire);
  if (seen == phase::started) return;
  if (seen == phase::fresh &&
      start_phase.compare_exchange_strong(seen, phase::starting, std::memory_order_acquire)) {
    adopt_environment();
    pthread_key_create(&exit_key, &at_thread_exit);
    pthread_atfork(&at_fork, nullptr, &at_fork_in_child);
    start_phase.store(phase::started, std::memory_order_release);
    return;
  }
  while (start_phase.load(std::memory_order_acquire) != phase::started) sched_yield();
}

void watch_thread_exit() noexcept {
  if (pthread_setspecific(exit_key, &current) != 0) return;
  current.keeps = true;
  open_totals_of_thread();
  callstack::begin_thread();
}

char const* configuration_error() noexcept { return error ? error.text : nullptr; }

double configured_process_rate() noexcept {
  return process_rate_setting.load(std::memory_order_relaxed);
}

double process_rate() noexcept {
  const double set = configured_process_rate();
  if (set > 0.0 || askers.load(std::memory_order_relaxed) == 0) return set;
  return default_sampling_rate.per_word();
}

void configure_process_rate(double per_word) noexcept {
  process_rate_setting.store(per_word, std::memory_order_relaxed);
  rates_changed();
}

double limit_rate() noexcept {
  const double set = limit_rate_setting.load(std::memory_order_relaxed);
  if (set != unset) return set;
  const double process = configured_process_rate();
  return process > 0.0 ? process : default_sampling_rate.per_word();
}

void configure_limit_rate(double per_word) noexcept {
  limit_rate_setting.store(per_word > 0.0 ? per_word : unset, std::memory_order_relaxed);
  rates_changed();
}

void request_samples(bool wanted) noexcept {
  askers.fetch_add(wanted ? 1 : -1, std::memory_order_relaxed);
  rates_changed();
}

void register_source() noexcept { sources.fetch_add(1, std::memory_order_relaxed); }
void unregister_source() noexcept { sources.fetch_sub(1, std::memory_order_relaxed); }
bool has_source() noexcept { return sources.load(std::memory_order_relaxed) > 0; }

void register_replacement() noexcept {
  if (replaced.load(std::memory_order_relaxed)) return;
  if (!replaced.exchange(true, std::memory_order_relaxed)) register_source();
}
bool replacement_in_effect() noexcept { return replaced.load(std::memory_order_relaxed); }

bool on_fork_in_child(void (*handler)()) noexcept { return child_handlers.add(handler); }
bool before_fork(void (*handler)()) noexcept { return fork_handlers.add(handler); }
bool on_thread_exit(void (*handler)()) noexcept { return exit_handlers.add(handler); }

}  // namespace memprof::engine
