// SPDX-License-Identifier: MIT
/// \file
/// The file with the trace of one recorded process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "recorder/process_sink.hpp"
#include "recorder/trace_output.hpp"

namespace memprof::recorder {

/// What a trace has that is not in the records.
struct trace_description {
  std::string file;
  bool file_is_there = false;
  std::string context;
  std::uint64_t process = 0;
};

class process_trace final : public process_sink {
 public:
  explicit process_trace(trace_description what);

  void take(relay::popped_record const& r) noexcept override;
  /// Written when the trace is closed.
  void note(std::string const& name, std::string const& value) noexcept override;
  void flush() noexcept override;
  void close() noexcept override;

  /// What ended the trace before its program; empty: nothing did.
  [[nodiscard]] std::string const& failure() const noexcept override { return failure_; }
  /// An event was written.
  [[nodiscard]] bool sampled() const noexcept override { return sampled_; }
  [[nodiscard]] std::uint64_t age() const noexcept override;

 private:
  template <class Step>
  bool guarded(Step step) noexcept;
  /// After each use of `trace_`.
  void look_for_failure() noexcept;

  trace_description what_;
  std::string host_name_;
  std::string failure_;
  bool sampled_ = false;
  std::map<std::string, std::string> notes_;
  std::optional<trace_output> output_;
  std::unique_ptr<records::process_trace> trace_;
};

}  // namespace memprof::recorder
