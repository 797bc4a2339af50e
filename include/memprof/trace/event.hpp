// SPDX-License-Identifier: MIT
/// \file
/// The events of a trace: what happened to sampled blocks, and where in the code.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>

namespace memprof::inline v0::trace {

/// One entry of a backtrace, usually a return address. Opaque, and never 0.
using location_code = std::uint64_t;

/// Identifies a sampled block in the whole trace: unique across all domains.
using object_id = std::uint64_t;

/// A position in a source file. A code has none if nothing is known about it, and several,
/// outermost caller first, where calls were inlined.
///
///  - `line`, `start_char`, `end_char`: from the traced program's debug information; the columns
///    255 and 1023 mean "that or more, or unknown".
struct location {
  std::string_view filename;
  std::string_view defname;  ///< the function, or what encloses it
  std::uint32_t line = 0;
  std::uint32_t start_char = 0;
  std::uint32_t end_char = 0;

  friend bool operator==(location const&, location const&) = default;
};

/// Where a block was allocated. The format calls it the source.
enum class heap : std::uint8_t { minor, major, external };

enum class event_kind : std::uint8_t { allocation, promotion, collection };

/// One event. The members from `length` on belong to an allocation; 0 and empty in other events.
///
///  - `time`: since the start of the trace. Never decreases within a domain.
///  - `length`: words of the block, without its header; 0 is possible.
///  - `n_samples`: at least 1. They stand for n_samples / sample_rate words allocated.
///  - `common_prefix`: number of leading entries of `backtrace` that equal those of the domain's
///    previous allocation. If the backtrace was cut when the trace was written, it may be larger
///    than the backtrace is long.
///  - `thread`: `thread::number` of the thread that allocated it; 0: the trace does not say, or the
///    reader leaves backtraces out.
///  - `backtrace`: outermost caller first. Valid until the next event is read; empty if the reader
///    leaves backtraces out (`reader_options`).
struct event {
  event_kind kind = event_kind::allocation;
  heap source = heap::minor;
  std::uint16_t domain = 0;
  std::uint32_t thread = 0;
  std::chrono::microseconds time{0};
  object_id object = 0;
  std::uint64_t length = 0;
  std::uint64_t n_samples = 0;
  std::uint64_t common_prefix = 0;
  std::span<location_code const> backtrace;
};

}  // namespace memprof::inline v0::trace
