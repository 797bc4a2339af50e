// SPDX-License-Identifier: MIT
// Only in the preload library: a program that knows nothing of us must not run under settings
// that were not understood.
#include <unistd.h>

#include "engine/engine.hpp"

namespace {

[[gnu::constructor]] void refuse_malformed_settings() {
  memprof::engine::ensure_started();
  if (memprof::engine::configuration_error() != nullptr) _exit(2);  // the message is out already
}

}  // namespace
