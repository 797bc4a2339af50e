// SPDX-License-Identifier: MIT
/// \file
/// The observer of the slot `trace`: the trace that this process writes (observer.hpp), or the one
/// that a recorder outside writes (relay_observer.hpp). A process may have one after the other.
#pragma once

namespace memprof::tracer {

/// For the rest of the process. May be called again, by any thread, also inside malloc.
void install_trace_observer() noexcept;

}  // namespace memprof::tracer
