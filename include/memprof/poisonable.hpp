// SPDX-License-Identifier: MIT
/// \file
/// State that several tasks share, behind a lock that notices an interrupt.
///
///     memprof::poisonable<cache> shared;
///
///     {
///       auto c = shared.lock();    // throws memprof::poisoned if a change was interrupted
///       c->insert(key, value);     // an interrupt in here unlocks, and marks the cache as bad
///     }
///     shared.repair([](cache& c) { c.clear(); });     // only if it is marked
///
/// Unlocking is not enough: the next task would see half a change. The alternative is to roll the
/// change back (`on_interrupt`, `with_resource`).
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <concepts>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "memprof/detail/export.hpp"
#include "memprof/limits.hpp"

namespace memprof::inline v0 {

/// Thrown on locking a `poisonable` that is marked bad.
class MEMPROF_API poisoned : public std::runtime_error {
 public:
  poisoned();
};

/// Which exceptions mark a `poisonable` when they pass through its lock.
///
///  - `interrupt`: any while `is_interrupted()`: it may be the interrupt, or have replaced it.
///  - `any_exception`: any at any time: for state whose changes give no exception guarantee.
enum class poison_on : std::uint8_t { interrupt, any_exception };

namespace detail {
[[noreturn]] MEMPROF_API void throw_poisoned();
}

/// A T with its mutex, and a mark that says it may be broken.
///
/// It is marked when an exception that was not yet in flight when the lock was taken destroys a
/// guard, and `is_interrupted()`. An exception that is caught while the guard lives does not mark
/// it. Neither does a limit inside it that was hit and has returned: the holder of the lock then
/// decides. The task that makes a change must take the lock; if a task changes what its monitor has
/// locked, the monitor must call `poison` when the result is an error.
///
/// \note Threads: all members may be called at the same time; a guard belongs to one thread.
///   Locking twice on one thread is a deadlock, as with std::mutex.
/// \note Interrupts: nothing is allocated between taking the lock and having the guard, nor in
///   unlocking, so no interrupt can occur there. Waiting for the lock is not interrupted. Forced
///   unwinding (pthread_cancel) unlocks and does not mark.
/// \note Cost: that of std::mutex and two reads of the number of uncaught exceptions.
template <class T>
class poisonable {
  static_assert(std::is_object_v<T> && !std::is_const_v<T>,
                "a poisonable holds an object that tasks change: no reference, no constant");

 public:
  template <class U>
  class basic_guard;
  using guard = basic_guard<T>;
  /// From a const poisonable. Never marks, because reading breaks nothing.
  using const_guard = basic_guard<T const>;

  template <class... Args>
  requires std::constructible_from<T, Args...>
  explicit poisonable(Args&&... args) : value_(std::forward<Args>(args)...) {}
  template <class... Args>
  requires std::constructible_from<T, Args...>
  explicit poisonable(poison_on when, Args&&... args)
      : value_(std::forward<Args>(args)...), when_(when) {}
  poisonable(poisonable const&) = delete;
  poisonable& operator=(poisonable const&) = delete;

  /// \throws poisoned with the lock released.
  /// \throws std::system_error as std::mutex does.
  [[nodiscard]] guard lock() { return {*this, take(), false}; }
  [[nodiscard]] const_guard lock() const { return {*this, take(), false}; }

  /// A guard that is false if another thread has the lock.
  ///
  /// \throws poisoned if it got the lock and the value is marked.
  [[nodiscard]] guard try_lock() {
    std::unique_lock l{mutex_, std::try_to_lock};
    if (l) require_good();
    return {*this, std::move(l), false};
  }

  /// For repairs and reports: locks whether it is marked or not. See `is_poisoned` of the guard.
  [[nodiscard]] guard lock_even_if_poisoned() { return {*this, std::unique_lock{mutex_}, true}; }

  /// f(value) under `lock`; returns what f returns.
  template <class F>
  decltype(auto) with(F&& f) {
    auto const locked = lock();
    return std::invoke(std::forward<F>(f), *locked);
  }
  template <class F>
  decltype(auto) with(F&& f) const {
    auto const locked = lock();
    return std::invoke(std::forward<F>(f), *locked);
  }

  /// If it is marked: calls f(value) under the lock, and removes the mark when f has returned. If f
  /// throws or is interrupted, the mark stays and the next repair starts again.
  ///
  /// \param f must cope with any state that an interrupted change can leave behind.
  /// \return true if f was called.
  template <class F>
  bool repair(F&& f) {
    bool called = false;
    static_cast<void>(lock_or_repair([&](T& value) {
      std::invoke(std::forward<F>(f), value);
      called = true;
    }));
    return called;
  }

  /// Locks, and repairs under the same lock if that is needed.
  template <class F>
  [[nodiscard]] guard lock_or_repair(F&& f) {
    guard locked{*this, std::unique_lock{mutex_}, false};
    if (is_poisoned()) {
      std::invoke(std::forward<F>(f), *locked);
      clear_poison();
    }
    return locked;
  }

  /// Without the lock the answer may be out of date at once.
  [[nodiscard]] bool is_poisoned() const noexcept {
    return poisoned_.load(std::memory_order_acquire);
  }
  /// Removes the mark. Call it while holding a guard, when the value is good again.
  void clear_poison() noexcept { poisoned_.store(false, std::memory_order_release); }
  /// Marks it, and wakes all threads that `wait`.
  void poison() noexcept {
    poisoned_.store(true, std::memory_order_release);
    changed_.notify_all();
  }

  /// Wakes one or all threads that `wait`. As with a condition variable, change the value under the
  /// lock.
  void notify_one() noexcept { changed_.notify_one(); }
  void notify_all() noexcept { changed_.notify_all(); }

 private:
  void require_good() const {
    if (is_poisoned()) detail::throw_poisoned();
  }
  std::unique_lock<std::mutex> take() const {
    std::unique_lock l{mutex_};
    require_good();
    return l;
  }

  mutable std::mutex mutex_;                 // guards value_
  mutable std::condition_variable changed_;  // with mutex_
  T value_;
  // Written under mutex_ by guards; read by lock() under it, by is_poisoned() without.
  std::atomic<bool> poisoned_{false};
  poison_on when_ = poison_on::interrupt;
};

template <class T>
poisonable(T) -> poisonable<T>;

/// Holds the lock and gives access to the value. Movable; a moved-from guard holds nothing.
template <class T>
template <class U>
class [[nodiscard]] poisonable<T>::basic_guard {
  using owner = std::conditional_t<std::is_const_v<U>, poisonable const, poisonable>;

 public:
  basic_guard(basic_guard&&) noexcept = default;
  basic_guard& operator=(basic_guard&&) = delete;
  ~basic_guard() {
    if constexpr (!std::is_const_v<U>) {
      if (lock_.owns_lock() && std::uncaught_exceptions() > uncaught_ &&
          (owner_->when_ == poison_on::any_exception || is_interrupted())) {
        owner_->poison();
      }
    }
  }

  /// Only while it holds the lock.
  [[nodiscard]] U& operator*() const noexcept { return owner_->value_; }
  [[nodiscard]] U* operator->() const noexcept { return &owner_->value_; }

  [[nodiscard]] bool owns_lock() const noexcept { return lock_.owns_lock(); }
  explicit operator bool() const noexcept { return owns_lock(); }
  [[nodiscard]] bool is_poisoned() const noexcept { return owner_->is_poisoned(); }

  /// Unlocks before the end of the scope. The change is complete: nothing is marked.
  void unlock() { lock_.unlock(); }

  /// Waits until done(value) is true. `done` runs under the lock; between its calls the lock is
  /// free for other threads.
  ///
  /// It wakes by itself every 10 ms, so it never sleeps for ever: not if an interrupt prevented a
  /// notification, and not if a token is set. The value must be whole when this is called, because
  /// an interrupt that ends the wait does not mark it.
  ///
  /// \throws limit_exceeded, or poisoned if another thread marked it during the wait: the guard
  ///   then no longer holds the lock. If `done` throws, the lock stays held.
  template <class Predicate>
  void wait(Predicate done) {
    while (!std::invoke(done, **this)) sleep(longest_sleep);
  }

  /// The same, for at most `time`. Returns what `done` returned last.
  template <class Predicate>
  bool wait_for(std::chrono::nanoseconds time, Predicate done) {
    auto const start = clock::now();
    while (!std::invoke(done, **this)) {
      auto const left = time - (clock::now() - start);
      if (left <= left.zero()) return false;
      sleep(std::min<std::chrono::nanoseconds>(left, longest_sleep));
    }
    return true;
  }

 private:
  friend class poisonable;
  using clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds longest_sleep{10};

  basic_guard(owner& o, std::unique_lock<std::mutex> l, bool tolerant) noexcept
      : owner_(&o), lock_(std::move(l)), tolerant_(tolerant) {}

  void sleep(std::chrono::nanoseconds most) {
    owner_->changed_.wait_for(lock_, most);
    lock_.unlock();  // so that an interrupt here marks nothing
    cancellation_point();
    lock_.lock();
    if (tolerant_ || !owner_->is_poisoned()) return;
    lock_.unlock();
    detail::throw_poisoned();
  }

  owner* owner_;
  std::unique_lock<std::mutex> lock_;
  int uncaught_ = std::uncaught_exceptions();
  bool tolerant_;
};

}  // namespace memprof::inline v0
