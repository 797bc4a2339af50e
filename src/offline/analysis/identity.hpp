// SPDX-License-Identifier: MIT
/// \file
/// What memtrace's `identify` prints: whose trace this is, and its statistics in a few lines.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "memprof/trace/info.hpp"

#include "analysis/text_note.hpp"

namespace memprof::analysis {

class trace_source;

/// Amounts are samples.
///
///  - `collected`: that were on the major heap, or outside the heap.
///  - `sizes`: of blocks of at most 4, 16 and 256 words.
///  - `duration`: time of the last event in the file, as memtrace counts.
///  - `latest`: time of the latest event: of another domain, that may be before in the file.
struct identity {
  trace::info info;
  std::uint64_t file_bytes = 0;  // 0: not known
  std::uint64_t events = 0;
  std::uint64_t objects = 0;
  std::uint64_t minor = 0, direct = 0, promoted = 0, collected = 0;
  std::array<std::uint64_t, 3> sizes{};
  std::uint64_t largest_words = 0;
  std::chrono::microseconds duration{0};
  std::vector<text_note> notes;
  std::chrono::microseconds latest{0};
};

/// Backtraces are not read. Memory: 16 bytes for each block live at one time.
identity identify(trace_source& source);

/// memtrace's text, but "-" where it divides nothing by nothing and "?" where something by nothing,
/// and sizes of more than 2^63 bytes as they are. Notes come at the end.
std::string identity_text(identity const& i, std::string const& file);

}  // namespace memprof::analysis
