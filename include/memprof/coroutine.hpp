// SPDX-License-Identifier: MIT
/// \file
/// Standard coroutines under a budget, whoever resumes them and on which thread.
///
/// A coroutine whose promise derives from `under_current_budget` belongs to the budget that is
/// current where it is made. Each of its parts between two suspensions is then charged to it, and
/// interrupted at its limits. An interrupt goes to the promise's `unhandled_exception`, like any
/// exception; that must not throw. docs/recovering.md has an example.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <utility>

#include "memprof/detail/export.hpp"
#include "memprof/limits.hpp"

namespace memprof::inline v0 {
namespace detail {

/// For coroutines of ours: memory that counts for nobody. Freed by operator delete.
MEMPROF_API void* allocate_uncounted(std::size_t size);

/// A coroutine that resumes another one under a budget. It is given to an awaitable in that one's
/// place, and destroys itself when it was resumed.
class trampoline {
 public:
  struct promise_type {
    static void* operator new(std::size_t size) { return allocate_uncounted(size); }
    static void operator delete(void* frame) noexcept { ::operator delete(frame); }
    trampoline get_return_object() noexcept {
      return trampoline(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    /// From `resume`: an exception of the coroutine that was no interrupt.
    void unhandled_exception() { throw; }
    trampoline* owner = nullptr;  ///< until it is resumed
  };

  trampoline() noexcept = default;
  ~trampoline() {
    if (frame_) frame_.destroy();  // never resumed
  }
  trampoline(trampoline const&) = delete;
  trampoline& operator=(trampoline const&) = delete;

  std::coroutine_handle<> aim_at(std::coroutine_handle<> target, budget_handle budget) {
    trampoline made = jump(target, std::move(budget));
    frame_ = std::exchange(made.frame_, nullptr);
    frame_.promise().owner = this;
    return frame_;
  }

 private:
  /// Ends the trampoline and continues the target on this very stack.
  struct hand_over {
    std::coroutine_handle<> target;
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> self) const noexcept {
      std::coroutine_handle<> const to = target;
      self.destroy();
      return to;
    }
    void await_resume() const noexcept {}
  };
  /// Forgets the owner, which the target may destroy.
  struct let_go {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<promise_type> self) const noexcept {
      self.promise().owner->frame_ = nullptr;
      return false;
    }
    void await_resume() const noexcept {}
  };

  explicit trampoline(std::coroutine_handle<promise_type> frame) noexcept : frame_(frame) {}

  static trampoline jump(std::coroutine_handle<> target, budget_handle budget) {
    co_await let_go{};
    // Where one part of a task continues another, the stack must not grow.
    if (current_budget() == budget) co_await hand_over{target};
    budget.resume([target] { target.resume(); });
  }

  std::coroutine_handle<promise_type> frame_ = nullptr;
};

template <class Awaitable>
decltype(auto) awaiter_of(Awaitable&& a) {
  if constexpr (requires { std::forward<Awaitable>(a).operator co_await(); }) {
    return std::forward<Awaitable>(a).operator co_await();
  } else if constexpr (requires { operator co_await(std::forward<Awaitable>(a)); }) {
    return operator co_await(std::forward<Awaitable>(a));
  } else {
    return std::forward<Awaitable>(a);
  }
}

/// Awaits what `Awaiter` awaits; the coroutine goes on under the budget.
template <class Awaiter>
struct limited_awaiter {
  Awaiter awaiter;
  budget_handle const& budget;
  trampoline back = {};

  decltype(auto) await_ready() { return awaiter.await_ready(); }
  template <class Promise>
  auto await_suspend(std::coroutine_handle<Promise> coroutine) {
    std::coroutine_handle<> const to = budget ? back.aim_at(coroutine, budget) : coroutine;
    return awaiter.await_suspend(to);
  }
  decltype(auto) await_resume() { return awaiter.await_resume(); }
};

}  // namespace detail

/// Base of a promise: the coroutine belongs to the budget that is current where it is made; if none
/// is, it is an ordinary coroutine. A promise with an `await_transform` of its own passes on what
/// that returns to this one.
///
/// What it awaits gets a std::coroutine_handle<>, so an awaitable that asks for a handle of this
/// very promise does not compile. The first part, up to the first suspension, runs where the
/// coroutine is begun; if that is elsewhere, begin it by `budget_handle::resume`.
///
/// \note Cost: each suspension takes some 100 ns and an allocation, which is not counted.
class under_current_budget {
 public:
  template <class Awaitable>
  auto await_transform(Awaitable&& a) {
    using awaiter = decltype(detail::awaiter_of(std::forward<Awaitable>(a)));
    return detail::limited_awaiter<awaiter>{detail::awaiter_of(std::forward<Awaitable>(a)),
                                            budget_};
  }

  [[nodiscard]] budget_handle const& budget() const noexcept { return budget_; }

 private:
  budget_handle budget_ = current_budget();
};

}  // namespace memprof::inline v0
