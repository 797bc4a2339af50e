// SPDX-License-Identifier: MIT
/// \file
/// Static probes (USDT) at sampled blocks, as OpenTelemetry's eBPF profiler looks for them:
///
///     otel_memory:alloc(address, size, weight)    weight: bytes that it stands for, unbiased
///     otel_memory:free(address)                   of a block that alloc was fired for
///
/// A note in the ELF file says where each lies and where its arguments are. Unless somebody
/// attaches, a probe is one nop. Without <sys/sdt.h> (Debian: systemtap-sdt-dev) at build time
/// there are none.
///
/// \see open-telemetry/opentelemetry-ebpf-profiler, design-docs/00003-memory-profiling.
#pragma once

#include <cstddef>
#include <cstdint>

#if MEMPROF_HAS_STATIC_PROBES
#include <sys/sdt.h>
#endif

namespace memprof::engine {

[[gnu::always_inline]] inline void probe_alloc([[maybe_unused]] void const* address,
                                               [[maybe_unused]] std::uint64_t size,
                                               [[maybe_unused]] std::uint64_t weight) noexcept {
#if MEMPROF_HAS_STATIC_PROBES
  STAP_PROBE3(otel_memory, alloc, address, size, weight);
#endif
}

[[gnu::always_inline]] inline void probe_free([[maybe_unused]] void const* address) noexcept {
#if MEMPROF_HAS_STATIC_PROBES
  STAP_PROBE1(otel_memory, free, address);
#endif
}

}  // namespace memprof::engine
