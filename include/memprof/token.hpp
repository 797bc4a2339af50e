// SPDX-License-Identifier: MIT
/// \file
/// `token`: a one-way flag that cancels the tasks that run under it.
///
///     memprof::token shutdown;
///     std::jthread worker([&] { memprof::limit_with_token(shutdown, [] { work(); }); });
///     shutdown.set("server stops");        // from any thread, or from a signal handler
#pragma once

#include <utility>

#include "memprof/detail/export.hpp"

namespace memprof::inline v0 {

namespace detail {
struct token_state;
}

/// A flag that is clear at first, can be set once, and can never be cleared.
///
/// Copies share the flag: setting one sets them all. `child()` makes a token with a flag of its
/// own, which also counts as set when its parent's is. A moved-from token may only be destroyed or
/// assigned to.
///
/// \note Threads: all const members and `set` may be called at the same time from any thread.
/// \note Signals: `set`, `is_set` and `reason` are lock-free and allocate nothing.
class MEMPROF_API token {
 public:
  /// Allocates.
  token();
  /// Shares the flag of `other`. Allocates nothing.
  token(token const& other) noexcept;
  token(token&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  token& operator=(token const& other) noexcept { return *this = token(other); }
  token& operator=(token&& other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~token();

  /// A token that is set when this one is; setting it does not set this one. It keeps this one's
  /// flag alive. Allocates.
  ///
  ///     memprof::token shutdown;                        // stops all requests
  ///     memprof::token request = shutdown.child();      // request.set() stops this one alone
  [[nodiscard]] token child() const;

  /// Sets the flag. Setting it again changes nothing.
  void set() noexcept { set(nullptr); }
  /// The same with a reason for reports. Only the pointer is kept: pass a literal, or text that
  /// outlives every task and result of this token. The first reason stays.
  void set(char const* reason) noexcept;

  /// True once this token or an ancestor was set. Cost: one load per generation.
  [[nodiscard]] bool is_set() const noexcept;
  /// The reason of this token or of its nearest set ancestor; null if clear or set without one.
  [[nodiscard]] char const* reason() const noexcept;

 private:
  explicit token(detail::token_state* state) noexcept : state_(state) {}

  detail::token_state* state_;
};

}  // namespace memprof::inline v0
