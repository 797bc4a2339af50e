// SPDX-License-Identifier: MIT
#include "testing/trial.hpp"

#include <cstdio>
#include <cxxabi.h>
#include <new>
#include <typeinfo>

#include "memprof/detail/run.hpp"
#include "memprof/limits.hpp"

namespace memprof::inline v0::testing {
namespace {

/// While it lives, what this thread allocates is charged to `owner`.
class charged_to {
 public:
  explicit charged_to(engine::account* owner) noexcept : previous_(engine::current.owner) {
    engine::current.owner = owner;
    engine::note_interval(owner, engine::interval_of_thread());
  }
  ~charged_to() { engine::current.owner = previous_; }
  charged_to(charged_to const&) = delete;
  charged_to& operator=(charged_to const&) = delete;

 private:
  engine::account* previous_;
};

void fail(trial_result& v, failure_kind what, char const* text = "") noexcept {
  v.what = what;
  std::snprintf(v.text.data(), v.text.size(), "%s", text);
}

/// The exception that is being handled, as text.
void fail_by_exception(trial_result& v, failure_kind what) noexcept {
  try {
    throw;
  } catch (std::exception const& e) {
    fail(v, what, e.what());
  } catch (...) {
    std::type_info const* const type = abi::__cxa_current_exception_type();
    fail(v, what, type != nullptr ? type->name() : "a foreign exception");
  }
}

struct amount {
  std::int64_t blocks;
  std::int64_t bytes;
};

amount live(engine::account const& a) noexcept {
  return {a.live.blocks.load(std::memory_order_relaxed), a.live.whole_bytes()};
}

}  // namespace

trial::trial(detail::subject const& s, interrupt_options const& options)
    : subject_(s), options_(options), account_(engine::open_account(nullptr, nullptr)) {
  if (account_ == nullptr) throw std::bad_alloc();
}

trial::~trial() { engine::release(account_); }

void trial::run_scenario(trial_result& v, std::exception_ptr& left) const {
  const charged_to account(account_);
  const memprof::detail::probing watched(v.seen);
  engine::restart_random(options_.seed);
  try {
    auto const report = memprof::detail::run(
        {.function = "for_each_interrupt", .allocations = max_allocation_limit}, subject_.scenario,
        subject_.object);
    if (report.error) left = report.error->exception();
#ifdef __GLIBCXX__  // libc++ has no name for it: as an exception of another language, below
  } catch (abi::__forced_unwind&) {
    throw;
#endif
  } catch (...) {
    left = std::current_exception();
    if (left == nullptr) throw;
    if (!v.seen.hit) fail_by_exception(v, failure_kind::scenario_threw);
  }
  if (v.seen.swallowed && !options_.allow_swallowing) fail(v, failure_kind::swallowed);
}

void trial::run_check(interruption const& run, trial_result& v) const {
  try {
    if (!subject_.check(subject_.object, run)) fail(v, failure_kind::check_failed);
#ifdef __GLIBCXX__  // libc++ has no name for it: as an exception of another language, below
  } catch (abi::__forced_unwind&) {
    throw;
#endif
  } catch (...) {
    if (std::current_exception() == nullptr) throw;
    fail_by_exception(v, failure_kind::check_threw);
  }
}

void trial::run(std::uint64_t ordinal, trial_result& v) const {
  v.seen = {.wanted = ordinal,
            .hit_outermost = options_.hit_outermost,
            .samples_every_word = options_.leak_check};
  v.what = failure_kind::none;
  if (subject_.prepare != nullptr) subject_.prepare(subject_.object);
  interruption run{.ordinal = ordinal};
  run_scenario(v, run.exception);
  run.delivered = v.delivered();
  run.deferred = v.deferred();
  if (v.what == failure_kind::none) run_check(run, v);
  if (subject_.finish != nullptr) subject_.finish(subject_.object);
}

void trial::judge(std::uint64_t ordinal, trial_result& v) const {
  constexpr int runs = 3;  // a cache may be filled by one of them, and another grow once
  amount grown{};
  for (int i = 0; i < runs; ++i) {
    const amount before = live(*account_);
    run(ordinal, v);
    if (v.what != failure_kind::none || !options_.leak_check) return;
    const amount after = live(*account_);
    grown = {after.blocks - before.blocks, after.bytes - before.bytes};
    if (grown.blocks <= 0) return;
  }
  v.what = failure_kind::leak;
  std::snprintf(v.text.data(), v.text.size(),
                "%lld block%s left behind each time, counted %lld bytes",
                static_cast<long long>(grown.blocks), grown.blocks == 1 ? "" : "s",
                static_cast<long long>(grown.bytes));
}

}  // namespace memprof::inline v0::testing
