// SPDX-License-Identifier: MIT
/// \file
/// The trace-info at the beginning of a trace file.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace memprof::inline v0::trace {

///  - `version`: of the format: 1, 2 or 3.
///  - `sample_rate`: samples for each word allocated, in (0, 1].
///  - `word_bits`: 64 or 32.
///  - `runtime_parameters`: text from the traced program's runtime. Ours: "memprof seed=N", the
///    seed that was in use when the trace began.
///  - `context`: free text given when tracing was started; empty: none. Not in version 1.
///  - `initial_domain`: the domain that began the trace. 0 before version 3.
///  - `start_time`: UTC; the times of events count from here.
struct info {
  int version = 3;
  double sample_rate = 1.0;
  unsigned word_bits = 64;
  std::string executable_name;
  std::string host_name;
  std::string runtime_parameters;
  std::string context;
  std::uint64_t pid = 0;
  std::uint16_t initial_domain = 0;
  std::chrono::sys_time<std::chrono::microseconds> start_time{};

  [[nodiscard]] double word_bytes() const noexcept { return word_bits / 8.0; }
  /// The bytes that this many samples stand for.
  [[nodiscard]] double bytes_of(double samples) const noexcept {
    return samples / sample_rate * word_bytes();
  }
};

}  // namespace memprof::inline v0::trace
