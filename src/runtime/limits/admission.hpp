// SPDX-License-Identifier: MIT
/// \file
/// Admission: the check that an allocation passes before its block is obtained, if its countdown
/// ran out.
#pragma once

#include <cstdint>

#include "memprof/detail/export.hpp"

#include "engine/engine.hpp"
#include "limits/check.hpp"

namespace memprof::inline v0::detail {

/// Whether an interrupt may be raised by the function that was called.
///
///  - `delivery`: throwing operator new, memory_resource::allocate, allocator<T>::allocate,
///    cancellation_point.
///  - `silent`: malloc and its family, nothrow new, reports: charged, never interrupted.
///  - `question`: should_stop: the program's callbacks may be called, nothing is raised.
enum class admission_point : std::uint8_t { delivery, silent, question };

/// An event's request before its block is obtained, in the event. Unless it is granted it is
/// withdrawn in the end: then nothing has been counted, neither by limits nor by the engine. (If
/// the task paused meanwhile, the limits around it have counted it.)
class admission {
 public:
  /// Charges the request to this thread's limits. Raises the interrupt that is due, if it may be
  /// raised here. Afterwards the block may be obtained, and is to be tracked if e.n_samples() > 0.
  /// At a silent point no limit is hit yet, unless by what was there before.
  ///
  /// \param frame of the function by which the program entered memprof (engine::new_block::frame).
  /// \throws limit_exceeded from a delivery point only.
  MEMPROF_INTERNAL_API admission(engine::event const& e, admission_point point, void const* frame);
  ~admission() {
    if (!granted_) [[unlikely]]
      withdraw(event_, charged_);
  }
  admission(admission const&) = delete;
  admission& operator=(admission const&) = delete;

  /// At a silent point: whether malloc returns null there, because a limit was hit and its
  /// malloc_policy, or that of the caller's module, says so.
  ///
  /// \param caller the return address of the program's call.
  /// \param frame of the function that the program called.
  MEMPROF_INTERNAL_API bool refuses_malloc(std::uintptr_t caller, void const* frame) noexcept;

  /// The program gets the block: now the request hits what it was found to hit.
  void grant() noexcept {
    granted_ = true;
    if (charged_.found) [[unlikely]]
      grant_hits(event_);
  }

 private:
  engine::event const& event_;
  charge charged_;
  bool granted_ = false;
};

/// The second half of an admission: raises the interrupt that is due to a scope in reach.
void finish_admission(engine::event const& e, admission_point point, charge const& charged);

}  // namespace memprof::inline v0::detail
