// SPDX-License-Identifier: MIT
/// \file
/// A flow of control with a stack of its own. Only context.cpp knows of Boost.Context.
#pragma once

#include <cstddef>
#include <utility>

#include "fiber/stack_memory.hpp"

namespace memprof::fiber {

/// The exceptions that a flow of control is handling and throwing: the C++ ABI's __cxa_eh_globals,
/// of which a thread has one. Flows that share a thread and are suspended in a handler would
/// otherwise find each other's exception.
struct exception_state {
  void* caught = nullptr;
  unsigned uncaught = 0;
};

/// Runs `entry(argument)` on the stack, in turns with the caller of `enter`. entry must not throw.
/// Is never unwound from outside: a context whose entry has not returned may only be leaked.
class context {
 public:
  using entry_function = void (*)(void* argument) noexcept;

  /// Empty: no stack, nothing to run.
  context() noexcept = default;
  /// Its data lies on the stack itself. Nothing runs before the first `enter`, which must
  /// be called.
  context(stack const& s, entry_function entry, void* argument) noexcept;
  context(context const&) = delete;
  context& operator=(context const&) = delete;
  context& operator=(context&& other) noexcept {
    switching_ = std::exchange(other.switching_, nullptr);
    return *this;
  }

  /// Switches to the stack; returns when the entry calls `leave` or returns. Each side has an errno
  /// of its own.
  /// \return true if it has returned: the context is empty and the stack is free.
  bool enter() noexcept;

  /// Called on the stack: back to the caller of `enter`; returns at the next `enter`, which may be
  /// another thread's.
  void leave() noexcept;

 private:
  struct switching;
  switching* switching_ = nullptr;
};

/// The guard of the stack on which this thread runs now; null outside of tasks. Signal-safe.
struct running_guard {
  char const* low = nullptr;
  char const* high = nullptr;
  std::size_t stack_size = 0;
};
extern constinit thread_local running_guard guard_in_use;

}  // namespace memprof::fiber
