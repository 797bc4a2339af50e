// SPDX-License-Identifier: MIT
// Only in the preload library: a program that does not know of memprof must not run with settings
// that were not understood, and is traced if MEMTRACE is set.
#include <unistd.h>

#include "engine/engine.hpp"
#include "tracer/tracer.hpp"

namespace {

[[gnu::constructor]] void begin() {
  memprof::engine::ensure_started();
  if (memprof::engine::configuration_error() != nullptr) _exit(2);  // which was reported before
  if (!memprof::tracer::start_if_requested()) _exit(2);
}

}  // namespace
