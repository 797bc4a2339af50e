// SPDX-License-Identifier: MIT
/// \file
/// A situation: an allocation in some place, and what the pre-flight must say of it.
///
///     MEMPROF_SITUATION(noexcept_function, must_defer) {
///       auto const f = []() noexcept { interruption(); };
///       f();
///     }
///
/// The body runs in a process of its own, under the boundary that the interrupt must reach. Its
/// interrupted allocation is `interruption()`, or whatever operator new is asked for after
/// `interrupt_next()`. There the verdict is taken, and then the interrupt is raised whatever the
/// verdict says.
#pragma once

#include <cstdint>

#include "support/interrupt.hpp"

namespace memprof::test {

/// must_deliver  to refuse is a failure: it is harmless, and common.
/// must_defer    to deliver is a failure, even where no harm is seen (C frames that happen to hold
///               nothing, streams that swallow).
/// either        both are right, as long as "deliver" does no harm.
enum class expectation : std::uint8_t { must_deliver, must_defer, either };

struct situation {
  char const* name;
  char const* file;
  expectation expected;
  void (*body)();
  /// Why the binary does not tell, of a situation whose "deliver" is known to be wrong; else null.
  char const* undecidable;
  situation const* next = nullptr;
};

/// Adds it to the list; for objects of static lifetime.
class registered {
 public:
  explicit registered(situation s) noexcept;

 private:
  situation situation_;
};

/// The first of all situations, by the order of their registration.
situation const* first_situation() noexcept;

}  // namespace memprof::test

#define MEMPROF_SITUATION_BECAUSE(name, expected, undecidable)                       \
  static void name();                                                                \
  static ::memprof::test::registered const registered_##name{                        \
      {#name, __FILE__, ::memprof::test::expectation::expected, name, undecidable}}; \
  static void name()

#define MEMPROF_SITUATION(name, expected) MEMPROF_SITUATION_BECAUSE(name, expected, nullptr)
