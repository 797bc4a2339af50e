// SPDX-License-Identifier: MIT
#include <memory>
#include <new>

#include "memprof/limits.hpp"

#include "copies/copies.hpp"
#include "limits/check_arguments.hpp"
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
          .pausable = nullptr};
}

shared_account* open_budget(limits const& l) {
  if (auto const* const other = copies::other()) return other->open_budget(l);
  const engine::muted_section muted;  // the library's own allocation: not counted
  auto account = std::make_unique<shared_account>();
  account->live = engine::open_account(nullptr, nullptr);
  if (account->live == nullptr) throw std::bad_alloc();
  if (l.allocations) account->allocations_limit = l.allocations->count();
  if (l.memory) account->memory_limit = l.memory->count();
  return account.release();
}

void close_budget(shared_account* account) noexcept {
  if (auto const* const other = copies::other()) return other->close_budget(account);
  const engine::muted_section muted;
  engine::release(account->live);  // blocks that are still live keep it
  delete account;
}

estimate live_of_budget(shared_account const* account) noexcept {
  if (auto const* const other = copies::other()) return other->live_of_budget(account);
  return engine::amount_of(account->live->live).with(0.95);
}

}  // namespace detail

budget::budget(limits l) : limits_(std::move(l)), account_(nullptr) {
  detail::check_request(detail::make_request("budget", limits_));
  account_ = detail::open_budget(limits_);
}

budget::~budget() { detail::close_budget(account_); }

detail::run_report budget::run_erased(detail::task_function task, void* context) {
  detail::scope_request request = detail::make_request("budget::run", limits_);
  request.shared = account_;
  return detail::run(request, task, context);
}

bytes budget::allocated() const noexcept {
  return words{account_->exact_words.load(std::memory_order_relaxed)};
}

estimate budget::live() const noexcept { return detail::live_of_budget(account_); }

}  // namespace memprof::inline v0
