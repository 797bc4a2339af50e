// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "memprof/coroutine.hpp"
#include "memprof/limits.hpp"

#include "copies/copies.hpp"
#include "limits/check_arguments.hpp"
#include "limits/scope.hpp"
#include "limits/shared_account.hpp"

namespace memprof::inline v0 {
namespace detail {

scope_request make_request(char const* function, limits const& l) noexcept {
  return {.function = function,
          .allocations = l.allocations,
          .memory = l.memory,
          .global_memory = l.global_memory,
          .stop = l.token ? stop_source_of(*l.token) : stop_source{},
          .time = l.time,
          .deadline = l.deadline,
          .cancel_if = l.cancel_if ? &l.cancel_if : nullptr,
          .count = l.count,
          .strict = l.strict,
          .grace = l.grace,
          .handlers = l.handlers,
          .malloc_after_hit = l.malloc_after_hit,
          .soft = l.soft,
          .ceiling = l.ceiling ? &*l.ceiling : nullptr,
          .false_interrupt_probability = l.false_interrupt_probability,
          .finest_rate = l.finest_rate ? l.finest_rate->per_word() : 0.0,
          .shared = nullptr,
          .resumption = false,
          .explain = static_cast<std::uint8_t>(std::min(l.explain, most_explained_stacks + 1)),
          .pausable = nullptr};
}

shared_account::shared_account(memprof::limits&& l) : limits(std::move(l)) {
  live = engine::open_account(nullptr, nullptr, limits.explain > 0);
  if (live == nullptr) throw std::bad_alloc();
  if (limits.allocations) allocations_limit = limits.allocations->count();
  if (limits.memory) memory_limit = limits.memory->count();
}

shared_account::~shared_account() { engine::release(live); }  // live blocks keep it

void* allocate_uncounted(std::size_t size) {
  if (auto const* const other = copies::other()) return other->allocate_uncounted(size);
  const engine::muted_section muted;
  return ::operator new(size);
}

std::shared_ptr<shared_account> open_budget(limits l) {
  if (auto const* const other = copies::other()) return other->open_budget(std::move(l));
  const engine::muted_section muted;  // the library's own allocation: not counted
  return std::make_shared<shared_account>(std::move(l));
}

estimate live_of_budget(shared_account const* account) noexcept {
  if (auto const* const other = copies::other()) return other->live_of_budget(account);
  return engine::amount_of(*account->live).with(0.95);
}

std::optional<interrupted> interruption_of(shared_account& account) {
  if (auto const* const other = copies::other()) return other->interruption_of(account);
  if (account.error_progress.load(std::memory_order_acquire) ==
      shared_account::error_state::known) {
    return account.error;
  }
  // The part that was interrupted may not have ended yet.
  for (scope const* s = this_thread_limits.innermost; s != nullptr; s = s->outer) {
    if (s->request.shared == &account && s->hit.happened) return interruption_so_far(*s);
  }
  return std::nullopt;
}

namespace {

scope_request request_of(char const* function, shared_account& account) noexcept {
  scope_request request = make_request(function, account.limits);
  request.shared = &account;
  return request;
}

}  // namespace
}  // namespace detail

budget::budget(limits l) {
  detail::check_request(detail::make_request("budget", l));
  account_ = detail::open_budget(std::move(l));
}

budget::~budget() = default;

detail::run_report budget::run_erased(detail::task_function task, void* context) {
  return detail::run(detail::request_of("budget::run", *account_), task, context);
}

bytes budget::allocated() const noexcept {
  return words{account_->exact_words.load(std::memory_order_relaxed)};
}

estimate budget::live() const noexcept { return detail::live_of_budget(account_.get()); }

budget_handle budget::handle() const noexcept { return budget_handle(account_); }

std::optional<interrupted> budget::interruption() const {
  return detail::interruption_of(*account_);
}

std::optional<interrupted> budget_handle::interruption() const {
  return account_ != nullptr ? detail::interruption_of(*account_) : std::nullopt;
}

void budget_handle::resume_erased(detail::task_function task, void* context) const {
  if (account_ == nullptr || current_budget() == *this) return task(context);
  const auto account = account_;  // the task may destroy this handle
  detail::scope_request request = detail::request_of("budget_handle::resume", *account);
  request.resumption = true;
  detail::run_report report = detail::run(request, task, context);
  if (!report.error) return;
  using state = detail::shared_account::error_state;
  state expected = state::none;
  if (!account->error_progress.compare_exchange_strong(expected, state::being_written)) return;
  account->error = std::move(report.error);
  account->error_progress.store(state::known, std::memory_order_release);
}

budget_handle current_budget() noexcept {
  if (auto const* const other = copies::other()) return other->current_budget();
  using namespace detail;
  for (scope const* s = this_thread_limits.innermost; s != nullptr; s = s->outer) {
    if (s->request.shared != nullptr) return budget_handle(s->request.shared->shared_from_this());
  }
  return {};
}

}  // namespace memprof::inline v0
