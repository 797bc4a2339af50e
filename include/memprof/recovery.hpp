// SPDX-License-Identifier: MIT
/// \file
/// Helps a task to leave everything in order when it is interrupted: `docs/recovering.md`.
///
///     accounts.debit(from, amount);
///     memprof::on_interrupt undo{[&]() noexcept { accounts.credit(from, amount); }};
///     accounts.credit(to, amount);
///
/// See also `poisonable.hpp` for shared state and `masking.hpp` for `with_resource`.
#pragma once

#include <exception>
#include <functional>
#include <type_traits>
#include <utility>
#ifdef __GLIBCXX__
#include <cxxabi.h>
#endif

#include "memprof/limits.hpp"
#include "memprof/masking.hpp"
#include "memprof/poisonable.hpp"

namespace memprof::inline v0 {

/// Runs f at the end of the scope if an interrupt ends it: if an exception leaves the scope that
/// was not in flight when it began, and `is_interrupted()`.
///
/// The exception need not be the interrupt itself: a clean-up may have replaced it, and what is
/// thrown while a limit is hit may be a consequence. Exceptions without an interrupt do not run f;
/// use a destructor for those.
///
///  - `f`: () noexcept, and nothrow move constructible. Runs masked: it may allocate, and is
///    charged for it. Prepare what it needs beforehand: after a hit on a memory limit there may be
///    none.
template <class F>
class [[nodiscard]] on_interrupt {
  static_assert(std::is_nothrow_invocable_v<F&>,
                "f must be noexcept: it runs while an interrupt unwinds the scope");
  static_assert(std::is_nothrow_move_constructible_v<F>,
                "f must be nothrow move constructible: capture by reference, or what moves");

 public:
  [[nodiscard]] explicit on_interrupt(F f) noexcept : f_(std::move(f)) {}
  ~on_interrupt() {
    if (!armed_ || std::uncaught_exceptions() <= uncaught_ || !is_interrupted()) return;
    masked_scope const mask;
    std::invoke(f_);
  }
  on_interrupt(on_interrupt const&) = delete;
  on_interrupt& operator=(on_interrupt const&) = delete;

  /// Disarms: f will not run, because what it would undo is complete.
  void release() noexcept { armed_ = false; }

 private:
  F f_;
  int uncaught_ = std::uncaught_exceptions();
  bool armed_ = true;
};

/// `try { return f(); } catch (...) { return handler(); }`, except that nothing is caught while
/// `is_interrupted()`. For code that continues after any failure: server loops, plug-ins, retries.
///
/// After a hit every exception passes, even one that the interrupt did not cause: the task is over
/// in any case. Thread cancellation is never caught.
///
/// \param handler () or (std::exception_ptr); runs as a handler, so `throw;` and
///   std::current_exception() work. Not masked.
/// \return what f returns, or else what handler returns, as f's type.
/// \note Throws what f throws while interrupted, and what handler throws.
///
///     auto page = memprof::catch_all([&] { return render(request); },
///                                    [] { return error_page(); });
template <class F, class Handler>
auto catch_all(F&& f, Handler&& handler) -> std::invoke_result_t<F> {
  try {
    return std::invoke(std::forward<F>(f));
#ifdef __GLIBCXX__
  } catch (abi::__forced_unwind&) {
    throw;
#endif
  } catch (...) {
    if (is_interrupted()) throw;
#ifndef __GLIBCXX__  // libc++ has no name for thread cancellation, and no pointer to it
    if (std::current_exception() == nullptr) throw;
#endif
    if constexpr (std::is_invocable_v<Handler, std::exception_ptr>) {
      return std::invoke(std::forward<Handler>(handler), std::current_exception());
    } else {
      return std::invoke(std::forward<Handler>(handler));
    }
  }
}

}  // namespace memprof::inline v0
