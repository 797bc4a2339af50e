// SPDX-License-Identifier: MIT
// Only in the preload library: a program that knows nothing of us must not run under settings
// that were not understood, and is traced if MEMTRACE says so.
#include <unistd.h>

#include "engine/engine.hpp"
#include "tracer/tracer.hpp"

namespace {

[[gnu::constructor]] void begin() {
  memprof::engine::ensure_started();
  if (memprof::engine::configuration_error() != nullptr) _exit(2);  // the message is out already
  if (!memprof::tracer::start_if_requested()) _exit(2);
}

}  // namespace
