// SPDX-License-Identifier: MIT
/// \file
/// Front header of `delivery`: may an interrupt be raised here and now?
#pragma once

#include <cstdint>

#include "memprof/delivery.hpp"

#include "delivery/raise.hpp"  // IWYU pragma: export

namespace memprof::delivery {

/// Where an interrupt would have to go, and what is known of the way.
struct attempt {
  /// The frame address of the limit function that it must reach: an address in [sp, CFA).
  void const* boundary = nullptr;
  /// The frame address of the function that would raise it; the walk begins at its caller. Null,
  /// for `preflight` only: the caller of `preflight`.
  void const* origin = nullptr;
  /// Where that function returns to; null: not known. Another frame may have taken its place.
  void const* caller = nullptr;
  int uncaught_at_entry = 0;  ///< std::uncaught_exceptions() when that scope began
  bool masked = false;        ///< inside a masked region
  bool into_handlers = true;  ///< raise it where a handler may swallow or replace it
  /// Also in the standard library's streams, locales and futures, which it leaves broken.
  bool through_library_handlers = false;
  /// For `preflight_of_null`: the limit has no function. What an exception does that leaves C++ is
  /// the business of the language around it, which began the limit.
  bool in_other_language = false;
};

/// The answer. `reason` is a literal that says why not; null if it may be raised.
struct decision {
  char const* reason = nullptr;
  std::uintptr_t place = 0;      ///< a pc in the frame that refused; 0 if it was none
  std::uint32_t frames = 0;      ///< how many were looked at
  bool library_handler = false;  ///< refused because of the standard library's handlers
  bool abandoned = false;        ///< the limit function was left without returning: by longjmp
  [[nodiscard]] bool deliver() const noexcept { return reason == nullptr; }
};

/// Before the first task runs: the code that is the boundary of tasks. Its handler passes on what
/// was meant for an outer scope, so it is not in the way. Cost: a load, but for the first call.
void enter_limit_function(void const* code) noexcept;

/// The checks in the order of their cost: the mask, exceptions in flight, the pre-flight.
///
/// Called only when an interrupt is pending, at a delivery point, with the thread muted. The first
/// call of a process classifies the loaded modules, which takes some milliseconds; threads that
/// call meanwhile wait for it, 1 s at most. Takes no lock (of code that was loaded with dlopen: the
/// loader's, to read a counter) and allocates nothing but, rarely, pages.
decision decide(attempt const& a) noexcept;

/// The pre-flight alone: walks from here to the boundary and decides frame by frame, from
/// personality, exception table and landing pad, what the exception would do there. The rules are
/// in docs/architecture.md.
decision preflight(attempt const& a) noexcept;

/// Whether the caller of malloc ends the process when malloc returns null to it: a C++ runtime, the
/// loader, functions like g_malloc (symbol_names.cpp has the list). True of code that belongs
/// to no module. Classifies the loaded modules, if no `decide` did.
///
/// \note Threads: any that has a frame there. Takes no lock; reads the symbol table of a module
///   that came with dlopen when it is first met.
bool needs_memory(std::uintptr_t return_address) noexcept;

/// Whether the caller of malloc is the C library itself, or is linked with it into one module. Any
/// thread that has a frame there; takes no lock.
bool in_c_library(std::uintptr_t return_address) noexcept;

/// Whether malloc may return null here: whether the std::bad_alloc that a function of C++ may make
/// of that could reach the boundary. Only `boundary`, `origin` and
/// `in_other_language` of the attempt are looked at.
///
/// Functions of C return an error instead, so they are passed over, and the exception may begin in
/// the first function of C++ around them, at another place than this call. So that function is in
/// the way only if it is noexcept as a whole; those around it are if they are at this call, or are
/// of C, or on the list of unsafe functions. A handler ends the exception.
///
/// \note Cost: a cached look-up for each frame, as for `preflight`.
decision preflight_of_null(attempt const& a) noexcept;

/// What set_malloc_after_hit_in_module has set for the caller of malloc, or `otherwise`. Any
/// thread.
malloc_policy malloc_policy_of_caller(std::uintptr_t return_address,
                                      malloc_policy otherwise) noexcept;
/// Whether it has been set for any module. One load.
bool may_refuse_by_module() noexcept;

/// Forgets what pre-flights found out about code, as an unload does. For tests and benchmarks.
void forget_code() noexcept;

}  // namespace memprof::delivery
