// SPDX-License-Identifier: MIT
/// \file
/// A program that is linked with memprof::memprof may run under libmemprof-preload.so (`memprof
/// record`): then limits belong to the program's copy, the trace to the other.
#pragma once

#include <cstdint>

/// Defined only in the preload library (override/preload/interrupts.cpp); null in a process without
/// it.
///
/// \note Signals: no: it may wait for room in the trace's queue.
extern "C" [[gnu::weak, gnu::visibility("default")]] void memprof_preload_interrupted(
    std::uint8_t kind, std::int64_t allowed, std::int64_t measured, std::uint64_t deferrals,
    void const* frame) noexcept;

namespace memprof::copies {

/// Whether this copy is the one in the preload library. Takes no lock.
bool in_preload_library() noexcept;

}  // namespace memprof::copies
