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
/// A token made from another one is its child: it is set when its parent is, and setting it does
/// not set the parent. A child keeps its parent's flag alive. Constructing allocates; a moved-from
/// token may only be destroyed or assigned to.
///
/// threads     all const members and `set` may be called at the same time from any thread.
/// signals     `set`, `is_set` and `reason` are lock-free and allocate nothing.
class MEMPROF_API token {
 public:
  token();
  /// A child of `parent`. (Not explicit, so that `limits{.token = t}` links the limits to t.)
  token(token const& parent);
  token(token&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  token& operator=(token const& parent) { return *this = token(parent); }
  token& operator=(token&& other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~token();

  /// Sets the flag. Setting again changes nothing.
  void set() noexcept { set(nullptr); }
  /// The same with a reason for reports. `reason` is kept by pointer: pass a literal, or text that
  /// outlives every task and result of this token. The first reason stays.
  void set(char const* reason) noexcept;

  /// True once this token or one it descends from was set. Cost: one load per generation.
  [[nodiscard]] bool is_set() const noexcept;
  /// Reason of this token or of the nearest set ancestor; null if clear or set without one.
  [[nodiscard]] char const* reason() const noexcept;

 private:
  detail::token_state* state_;
};

}  // namespace memprof::inline v0
