// SPDX-License-Identifier: MIT
/// \file
/// A page of metrics, as Prometheus and others scrape it.
///
///     memprof::serve::metrics page(memprof::serve::metrics_format::text);
///     page.counter("evaluator_requests", "Requests, by how they ended.");
///     page.sample(17, {{"outcome", "ok"}});
///     page.sample(2, {{"outcome", "interrupted"}});
///     std::string text = page.finish();
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "memprof/detail/export.hpp"

namespace memprof::inline v0::serve {

enum class metrics_format {
  text,        ///< Prometheus' text format 0.0.4
  openmetrics  ///< OpenMetrics 1.0
};

struct label {
  std::string_view name;
  std::string_view value;  ///< any text; what is not UTF-8 is replaced
};

/// Families one after another, each with its samples. The formats differ where this class hides it:
/// write the name of a counter without "_total".
///
/// \note Threads: one at a time.
class MEMPROF_API metrics {
 public:
  explicit metrics(metrics_format format) : format_(format) {}

  /// Begins a family. A family that has no samples is left out.
  ///
  /// \param name as [a-zA-Z_][a-zA-Z0-9_]*, each once. If it ends in "_bytes" or "_seconds", that
  ///   is its unit.
  /// \throws std::invalid_argument for another name.
  metrics& counter(std::string_view name, std::string_view help);
  metrics& gauge(std::string_view name, std::string_view help);
  /// Facts in labels, with the value 1: `name` becomes "name_info".
  metrics& info(std::string_view name, std::string_view help);

  /// A sample of the family that was begun last.
  metrics& sample(double value, std::initializer_list<label> labels = {});
  metrics& sample(std::integral auto value, std::initializer_list<label> labels = {}) {
    return add(number(value), labels);
  }

  /// An exemplar of the sample before it: one event that it counts, with a label that leads there.
  ///
  ///     memprof::serve::metrics page(memprof::serve::metrics_format::openmetrics);
  ///     page.counter("evaluator_failures", "Requests that failed.").sample(3);
  ///     page.exemplar({{"trace_id", "4bf92f35"}}, 1, std::chrono::system_clock::now());
  ///
  /// In the text format 0.0.4 there are none: it is left out. So is one whose labels, names and
  /// values together, have more than 128 characters: OpenMetrics does not allow it.
  ///
  /// \param value what the event added to the counter.
  /// \throws std::invalid_argument where no sample of a counter is before it, or one that has an
  ///   exemplar; for a name as of labels.
  metrics& exemplar(std::initializer_list<label> labels, double value,
                    std::chrono::system_clock::time_point when);

  /// The page. Nothing may be added afterwards.
  [[nodiscard]] std::string finish();

 private:
  metrics& begin(std::string_view name, std::string_view type, std::string_view help);
  metrics& add(std::string const& value, std::initializer_list<label> labels);
  static std::string number(std::int64_t value);
  static std::string number(std::uint64_t value);
  static std::string number(int value) { return number(std::int64_t{value}); }
  static std::string number(unsigned value) { return number(std::uint64_t{value}); }

  metrics_format format_;
  std::string text_;
  std::string head_;             ///< of the family, until it has a sample
  std::string sample_;           ///< the name of its samples
  bool counter_ = false;         ///< it is one
  bool takes_exemplar_ = false;  ///< the sample added last is a counter's, and has none
};

}  // namespace memprof::inline v0::serve
