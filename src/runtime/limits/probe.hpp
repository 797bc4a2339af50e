// SPDX-License-Identifier: MIT
/// \file
/// The probe of interruption testing: numbers the delivery points of a thread, hits a limit at a
/// chosen one, and records what happened to the interrupt.
///
/// A thread without a probe pays one comparison in each event, and nothing outside events. With a
/// probe every allocation is an event. Plain data, so that a child process can leave its results in
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
  // Input.
  std::uint64_t wanted = 0;        ///< ordinal of the point to interrupt, from 1; 0: none
  bool hit_outermost = false;      ///< the outermost scope counts as hit, not the innermost
  bool samples_every_word = true;  ///< limits and accounts of this thread are exact

  // Output.
  std::uint64_t points = 0;          ///< delivery points
  std::uint64_t signature = 0;       ///< hash of the sizes requested at them
  bool hit = false;                  ///< the wanted point was reached
  std::uint64_t delivered_at = 0;    ///< ordinal of the point that raised it; 0: none
  bool swallowed = false;            ///< raised, and the task of the hit scope returned normally
  char const* deferral = nullptr;    ///< why it was not raised at the wanted point
  std::uintptr_t deferred_by = 0;    ///< a pc in the frame that refused; 0 if it was none
  scope const* hit_scope = nullptr;  ///< never followed: the scope may be gone
  std::size_t depth = 0;
  std::array<void*, 64> stack{};  ///< where it was raised, else where it was deferred
};

/// Attaches the probe `p` to this thread while it lives. `p` must outlive it. Create it outside any
/// limit.
class probing {
 public:
  explicit probing(probe& p) noexcept;
  ~probing();
  probing(probing const&) = delete;
  probing& operator=(probing const&) = delete;
};

/// Whether a limit runs on this thread.
bool is_limited() noexcept;

// Called by the limits if the thread has a probe.

/// An event was checked against the limits. Makes the interrupt due if it is wanted at this point.
void probe_event(engine::event const& e, admission_point point) noexcept;
void probe_delivery(engine::event const& e) noexcept;
void probe_deferral(engine::event const& e, char const* reason, std::uintptr_t place) noexcept;
/// The task of `s` returned normally.
void probe_return(scope const& s) noexcept;

}  // namespace memprof::inline v0::detail
