// SPDX-License-Identifier: MIT
/// \file
/// What a task needs to leave the world in order when it is interrupted: `docs/recovering.md`.
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

/// Runs f at the end of the scope if an interrupt ends it: if the scope is left by an exception
/// that was not in flight when it began, and `is_interrupted()`.
///
/// Any exception will do, not the interrupt alone: a clean-up may have replaced it, and what comes
/// while a limit is hit may be its consequence. Not run for other exceptions; for those there are
/// destructors.
///
/// f           () noexcept. Runs masked: it may allocate, and is charged for it. What it needs
///             should be at hand, since memory is short when a limit on it was hit.
/// f must be nothrow move constructible; from then on nothing stands between it and the scope.
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

  /// f will not run: what it would undo is complete.
  void release() noexcept { armed_ = false; }

 private:
  F f_;
  int uncaught_ = std::uncaught_exceptions();
  bool armed_ = true;
};

/// try { return f(); } catch (...) { return handler(); }, except that nothing is caught while
/// `is_interrupted()`. For code that goes on after any failure: loops of servers, plug-ins,
/// retries.
///
/// An interrupt that was hit, but did not cause this exception, lets it go on as well: the task is
/// over in any case. Thread cancellation is never caught.
///
/// handler     () or (std::exception_ptr); runs as a handler, so `throw;` and
///             std::current_exception() work. Not masked.
/// returns     what f or else handler returns; the type is f's.
/// throws      what f throws while interrupted, and what handler throws.
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
