// SPDX-License-Identifier: MIT
/// \file
/// Amounts as docs/serve.md has them.
#pragma once

#include <cstdint>
#include <mutex>
#include <nlohmann/json.hpp>

#include "memprof/trace/info.hpp"

#include "analysis/analysis.hpp"

namespace memprof::serve {

using json = nlohmann::ordered_json;

/// The intervals of sample counts, found out once; for several threads.
class error_cache {
 public:
  explicit error_cache(trace::info const& info) : errors_(info) {}
  analysis::sample_estimate estimate(std::uint64_t samples) {
    const std::scoped_lock lock(mutex_);
    return errors_.estimate(samples);
  }

 private:
  std::mutex mutex_;  // guards errors_
  analysis::sample_errors errors_;
};

class amount_writer {
 public:
  amount_writer(trace::info const& info, error_cache& errors) : info_(info), errors_(errors) {}

  /// {"samples", "blocks", "bytes": [value, lower, upper], "objects": [...]}
  [[nodiscard]] json object(analysis::amount const& a) const;
  /// The same numbers, one after another.
  [[nodiscard]] json list(analysis::amount const& a) const;
  /// allocated, in_use, peak.
  [[nodiscard]] json object(analysis::amounts const& a) const;
  [[nodiscard]] json list(analysis::amounts const& a) const;

 private:
  trace::info const& info_;
  error_cache& errors_;
};

}  // namespace memprof::serve
