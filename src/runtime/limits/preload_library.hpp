// SPDX-License-Identifier: MIT
/// \file
/// A program that is linked with memprof may run under libmemprof-preload.so (`memprof record`):
/// then two copies of the library are in the process. Limits belong to this copy, the trace to the
/// other.
#pragma once

#include <cstdint>

#include "engine/engine.hpp"

/// Defined only in the preload library (override/preload/interrupts.cpp); null in a process without
/// it.
///
/// signals     no: it may wait for room in the trace's queue.
extern "C" [[gnu::weak, gnu::visibility("default")]] void memprof_preload_interrupted(
    std::uint8_t kind, std::int64_t allowed, std::int64_t measured, std::uint64_t deferrals,
    void const* frame) noexcept;

namespace memprof::inline v0::detail {

inline void notify_preload_library(engine::raised_interrupt const& what) noexcept {
  if (memprof_preload_interrupted == nullptr) return;
  memprof_preload_interrupted(what.kind, what.allowed, what.measured, what.deferrals, what.frame);
}

}  // namespace memprof::inline v0::detail
