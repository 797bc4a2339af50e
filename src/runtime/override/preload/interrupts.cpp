// SPDX-License-Identifier: MIT
// Takes the interrupts of the copy of memprof that the program is linked with, for this trace.
#include <cstdint>

#include "engine/engine.hpp"

// As copies/preload_library.hpp declares it.
extern "C" [[gnu::visibility("default")]] void memprof_preload_interrupted(
    std::uint8_t kind, std::int64_t allowed, std::int64_t measured, std::uint64_t deferrals,
    void const* frame) noexcept {
  using namespace memprof::engine;
  const muted_section muted;
  notify_interrupted({.kind = kind,
                      .allowed = allowed,
                      .measured = measured,
                      .deferrals = deferrals,
                      .frame = frame});
}
