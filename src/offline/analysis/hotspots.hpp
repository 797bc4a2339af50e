// SPDX-License-Identifier: MIT
/// \file
/// memtrace's `hotspots`: functions that allocate much, and which of their callers stand out.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "memprof/trace/info.hpp"

#include "symbolize/symbolize.hpp"

namespace memprof::analysis {

class trace_source;

/// A caller, and how many sampled blocks (not samples) the function allocates under it.
///
///  - `of_caller`: samples of all that is allocated by the caller and under it; of what it
///    allocates under itself twice, as memtrace has it.
struct hot_caller {
  std::string function;
  std::uint64_t blocks = 0;
  std::uint64_t of_caller = 0;
};

struct hot_position {
  std::uint32_t line = 0, start_char = 0, end_char = 0;
  std::uint64_t samples = 0;
};

/// A function that allocates, `samples` in all at `positions`, most first; callers likewise.
struct hot_function {
  std::string function, file;
  std::uint64_t samples = 0;
  std::vector<hot_position> positions;
  std::vector<hot_caller> callers;
};

struct hotspots {
  trace::info info;
  std::uint64_t samples = 0;
  std::vector<hot_function> functions;
};

/// Those that memtrace lists: functions of more than 0.5 % of all samples, callers under which the
/// share is clearly larger than elsewhere. Its counts of pairs (caller, function) are exact up to
/// 10000 pairs; beyond, rare pairs are forgotten and counted anew, so that a count may be too low.
///
/// \note Memory: grows with codes, functions and pairs of them, and with different backtraces up to
///   some MB, for 65 536 nodes of their tree; nothing is kept of events.
hotspots find_hotspots(trace_source& source, std::shared_ptr<symbolize::resolver> names);

/// memtrace's text. Equal amounts: by name.
std::string hotspots_text(hotspots const& h);

}  // namespace memprof::analysis
