// SPDX-License-Identifier: MIT
/// \file
/// The trace of one recorded process, written as its records come.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "memprof/trace/writer.hpp"

#include "recorder/module_table.hpp"
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
  explicit process_trace(trace_description what) : what_(std::move(what)) {}

  void take(relay::popped_record const& r) noexcept override;
  /// Written when the trace is closed.
  void note(std::string const& name, std::string const& value) noexcept override;
  void flush() noexcept override;
  void close() noexcept override;

  /// What ended the trace before its program; empty: nothing did.
  [[nodiscard]] std::string const& failure() const noexcept override { return failure_; }
  /// An event was written.
  [[nodiscard]] bool sampled() const noexcept override { return any_; }
  [[nodiscard]] std::uint64_t age() const noexcept override;

 private:
  static constexpr trace::object_id no_object = ~trace::object_id{0};

  template <class Step>
  void guarded(Step step) noexcept;
  void begin(relay::popped_record const& r);
  void open(relay::popped_record const& r, double rate);
  void allocation(relay::popped_record const& r);
  void interrupt(relay::popped_record const& r);
  void name_thread(relay::popped_record const& r);
  /// In the trace; a program that replaced another begins at 1 again.
  std::uint32_t number_of(std::uint64_t thread) noexcept;
  void collect_all(std::uint64_t time);
  void exit_began(std::uint64_t time);
  /// Of the next event to be written.
  std::chrono::microseconds since_start(std::uint64_t time) noexcept;

  trace_description what_;
  std::string failure_;
  std::uint64_t start_time_ = 0;
  std::uint64_t latest_ = 0;    ///< time of an event so far
  std::uint64_t earliest_ = 0;  ///< of those to come
  bool any_ = false;            ///< an event was written
  bool exit_began_ = false;
  std::uint32_t threads_before_ = 0;  ///< those of programs that were replaced
  std::uint32_t threads_ = 0;         ///< the largest number in the trace
  module_table modules_;
  /// By the tags of blocks: those that live.
  std::vector<trace::object_id> objects_;
  std::vector<trace::location_code> backtrace_;
  std::map<std::string, std::string> notes_;
  std::unique_ptr<trace_output> output_;
  std::optional<trace::writer> writer_;
};

}  // namespace memprof::recorder
