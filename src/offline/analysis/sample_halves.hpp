// SPDX-License-Identifier: MIT
/// \file
/// The samples of a trace's blocks in two halves.
#pragma once

#include <cstdint>

#include "memprof/trace/info.hpp"

#include "page_columns/page_columns.hpp"

namespace memprof::analysis {

using page_columns::sample_halves;

/// Traces of the same program are split differently: by their start and process.
class sample_splitter : public page_columns::sample_splitter {
 public:
  /// \param rate of the samples that are split: the trace's, or less if some were dropped.
  sample_splitter(trace::info const& info, double rate)
      : page_columns::sample_splitter(
            static_cast<std::uint64_t>(info.start_time.time_since_epoch().count()) ^ info.pid << 48,
            rate) {}
  explicit sample_splitter(trace::info const& info) : sample_splitter(info, info.sample_rate) {}
};

}  // namespace memprof::analysis
