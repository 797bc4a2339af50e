// SPDX-License-Identifier: MIT
/// \file
/// Runs a body in a process of its own, interrupts one allocation of it, and tells what the
/// pre-flight said and what really happened.
#pragma once

#include <array>
#include <cstdint>

namespace memprof::test {

/// What became of the interrupt.
enum class reality : std::uint8_t {
  not_reached,  ///< no such allocation; or (retry) it was refused everywhere
  delivered,    ///< it reached its boundary
  swallowed,    ///< the body returned
  translated,   ///< another exception left the body
  terminated,   ///< std::terminate or abort
  damaged,      ///< a destructor was skipped, a block or a lock left behind, a crash
  hang          ///< not over in time
};
char const* to_string(reality r) noexcept;

/// terminated, damaged, hang.
bool is_harm(reality r) noexcept;

/// force   raised whatever the verdict says.
/// retry   as the library does: if it is refused, the next allocation is tried.
enum class method : std::uint8_t { force, retry };

struct observation {
  bool deliver = false;            ///< the first verdict
  std::array<char, 120> reason{};  ///< why not
  std::uintptr_t place = 0;        ///< of the refusal; 0 if it has none
  unsigned deferrals = 0;
  unsigned allocations = 0;  ///< of the body, up to the interrupt or its end
  reality really = reality::not_reached;
  std::array<char, 120> detail{};  ///< which damage
};

struct experiment {
  void (*body)() = nullptr;
  method how = method::force;
  unsigned ordinal = 0;  ///< which allocation of the body; 0: the body says with `interrupt_next`
  unsigned seconds = 3;  ///< until it counts as a hang
  bool plain = false;    ///< a std::bad_alloc that is no interrupt, and no question asked
  bool quiet = true;     ///< what it prints is dropped
};

/// Forks. To be called by a process with one thread.
observation observe(experiment const& e);

}  // namespace memprof::test
