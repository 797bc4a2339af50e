// SPDX-License-Identifier: MIT
#include <cmath>
#include <memory>
#include <new>

#include "memprof/limits.hpp"

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

}  // namespace detail

budget::budget(limits l) : limits_(std::move(l)), account_(nullptr) {
  detail::check_request(detail::make_request("budget", limits_));
  const engine::muted_section muted;  // the library's own allocation: not counted
  auto account = std::make_unique<detail::shared_account>();
  account->live = engine::open_account(nullptr, nullptr);
  if (account->live == nullptr) throw std::bad_alloc();
  if (limits_.allocations) account->allocations_limit = limits_.allocations->count();
  if (limits_.memory) account->memory_limit = limits_.memory->count();
  account_ = account.release();
}

budget::~budget() {
  const engine::muted_section muted;
  engine::release(account_->live);  // blocks that are still live keep it
  delete account_;
}

detail::run_report budget::run_erased(detail::task_function task, void* context) {
  detail::scope_request request = detail::make_request("budget::run", limits_);
  request.shared = account_;
  return detail::run(request, task, context);
}

bytes budget::allocated() const noexcept {
  if (limits_.count == counting::exact) {
    return words{account_->exact_words.load(std::memory_order_relaxed)};
  }
  const double charged = account_->sampled_words.load(std::memory_order_relaxed);
  return bytes{std::llround(charged * 8.0)};
}

estimate budget::live() const noexcept {
  return engine::amount_of(account_->live->live).with(0.95);
}

}  // namespace memprof::inline v0
