// SPDX-License-Identifier: MIT
/// \file
/// What a trace says happened: the events of sampled blocks, and where in the code.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>

namespace memprof::inline v0::trace {

/// Stands for one entry of a backtrace, usually a return address. Opaque, and never 0.
using location_code = std::uint64_t;

/// Names a sampled block for as long as the trace: unique over all domains.
using object_id = std::uint64_t;

/// A position in a source file. A code has none if nothing is known of it, and several, outermost
/// caller first, where calls were inlined.
///
/// line, start_char, end_char   as the traced program's debug information has them; 255 and 1023
///                              (columns) mean "that or more, or unknown".
struct location {
  std::string_view filename;
  std::string_view defname;  ///< the function, or what encloses it
  std::uint32_t line = 0;
  std::uint32_t start_char = 0;
  std::uint32_t end_char = 0;

  friend bool operator==(location const&, location const&) = default;
};

/// Where a block was born. The format calls it the source.
enum class heap : std::uint8_t { minor, major, external };

enum class event_kind : std::uint8_t { allocation, promotion, collection };

/// One event. The members after `domain` are those of an allocation; 0 and empty in the others.
///
/// time            since the start of the trace. Never decreases within a domain.
/// length          words of the block, its header not counted; 0 is possible.
/// n_samples       at least 1. They stand for n_samples / sample_rate words allocated.
/// common_prefix   leading entries of `backtrace` that equal those of the domain's allocation
///                 before. Of a backtrace that was cut when the trace was written it may be larger
///                 than the backtrace is long.
/// backtrace       outermost caller first. Valid until the next event is read; empty if the reader
///                 was told to leave backtraces out.
struct event {
  event_kind kind = event_kind::allocation;
  heap source = heap::minor;
  std::uint16_t domain = 0;
  std::chrono::microseconds time{0};
  object_id object = 0;
  std::uint64_t length = 0;
  std::uint64_t n_samples = 0;
  std::uint64_t common_prefix = 0;
  std::span<location_code const> backtrace;
};

}  // namespace memprof::inline v0::trace
