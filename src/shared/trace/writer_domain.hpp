// SPDX-License-Identifier: MIT
/// \file
/// One domain of a trace that is written: its encoder, and memory for its longest backtrace.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "memprof/trace/event.hpp"

#include "encoding/encoding.hpp"

namespace memprof::inline v0::trace {

struct writer_domain {
  encoding::stream_encoder encoder;
  std::vector<location_code> last_backtrace;

  /// The encoder can remember backtraces of `entries`.
  void make_room(std::size_t entries) {
    if (entries <= last_backtrace.size()) return;
    std::vector<location_code> larger(std::max(entries, 2 * last_backtrace.size()));
    encoder.remember_in(larger);
    last_backtrace = std::move(larger);
  }
};

}  // namespace memprof::inline v0::trace
