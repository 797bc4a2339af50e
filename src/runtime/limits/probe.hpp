// SPDX-License-Identifier: MIT
/// \file
/// The probe of interruption testing: numbers the delivery points of a thread, hits a limit at a
/// chosen one, and notes what became of the interrupt.
///
/// A thread without a probe pays a comparison in each event, nothing outside events. With one,
/// every allocation is an event. Plain data, so that a child process can leave its findings in
/// shared memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/engine.hpp"
#include "limits/admission.hpp"

namespace memprof::inline v0::detail {

struct scope;

struct probe {
  // What is asked.
  std::uint64_t wanted = 0;        ///< ordinal of the point to interrupt, from 1; 0: none
  bool hit_outermost = false;      ///< the outermost scope counts as hit, not the innermost
  bool samples_every_word = true;  ///< limits and accounts of this thread are exact

  // What was seen.
  std::uint64_t points = 0;          ///< delivery points
  std::uint64_t signature = 0;       ///< hash of the sizes asked for at them
  bool hit = false;                  ///< the wanted point was reached
  std::uint64_t delivered_at = 0;    ///< ordinal of the point that raised it; 0: none
  bool swallowed = false;            ///< raised, and the task of the hit scope returned normally
  char const* deferral = nullptr;    ///< why it was not raised at the wanted point
  std::uintptr_t deferred_by = 0;    ///< a pc in the frame that refused; 0 if it was none
  scope const* hit_scope = nullptr;  ///< never followed: the scope may be gone
  std::size_t depth = 0;
  std::array<void*, 64> stack{};  ///< where it was raised, else where it was deferred
};

/// Has this thread watched while it lives. `p` must outlive it. Begin it outside any limit.
class probing {
 public:
  explicit probing(probe& p) noexcept;
  ~probing();
  probing(probing const&) = delete;
  probing& operator=(probing const&) = delete;
};

/// True if a limit runs on this thread.
bool is_limited() noexcept;

// The places that report to the probe; called only if there is one.

/// An event has been checked against the limits; the interrupt that is wanted here is made due.
void probe_event(engine::event const& e, admission_point point) noexcept;
void probe_delivery(engine::event const& e) noexcept;
void probe_deferral(engine::event const& e, char const* reason, std::uintptr_t place) noexcept;
/// The task of `s` returned normally.
void probe_return(scope const& s) noexcept;

}  // namespace memprof::inline v0::detail
