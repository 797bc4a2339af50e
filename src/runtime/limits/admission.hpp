// SPDX-License-Identifier: MIT
/// \file
/// Admission: the check that an allocation passes before its block is obtained, if its countdown
/// ran out.
#pragma once

#include <cstdint>

#include "memprof/detail/export.hpp"

#include "engine/engine.hpp"

namespace memprof::inline v0::detail {

/// Whether an interrupt may be raised by the function that was called.
///
/// delivery    throwing operator new, memory_resource::allocate, allocator<T>::allocate,
///             cancellation_point.
/// silent      malloc and its family, nothrow new, reports: charged, never interrupted.
enum class admission_point : std::uint8_t { delivery, silent };

/// Charges the event to this thread's limits. Raises the interrupt that is due, if it may be raised
/// here. On return the block may be obtained, and is to be tracked if e.n_samples() > 0.
///
/// frame       of the function by which the program entered memprof (engine::new_block::frame).
/// throws      limit_exceeded, from a delivery point only.
MEMPROF_INTERNAL_API void admit(engine::event const& e, admission_point point, void const* frame);

/// After `admit` at a silent point: whether malloc returns null there, because a limit was hit and
/// its malloc_policy, or that of the caller's module, says so.
///
/// caller      the return address of the program's call.
MEMPROF_INTERNAL_API bool refuses_malloc(engine::event const& e, std::uintptr_t caller) noexcept;

/// The second half of `admit`: raises the interrupt that is due to a scope in reach.
void finish_admission(engine::event const& e, admission_point point);

}  // namespace memprof::inline v0::detail
