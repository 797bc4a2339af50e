// SPDX-License-Identifier: MIT
/// \file
/// A trace that can be read from its beginning several times, and one reading of it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "memprof/trace/reader.hpp"

namespace memprof::analysis {

/// Called with the reader now and then while a trace is read, and once more at its end (`done`).
using reading_watcher = std::function<void(trace::reader const&, bool done)>;

/// One reading of a trace, event after event.
class reading {
 public:
  reading(trace::reader reader, reading_watcher const* watcher)
      : reader_(std::move(reader)), watcher_(watcher) {}

  /// As trace::reader::next.
  bool next(trace::event& e) {
    if (--until_watched_ == 0) watch(false);
    if (reader_.next(e)) return true;
    watch(true);
    return false;
  }
  [[nodiscard]] trace::info const& info() const noexcept { return reader_.info(); }
  [[nodiscard]] trace::reader const& reader() const noexcept { return reader_; }

 private:
  void watch(bool done) {
    until_watched_ = watch_interval;
    if (watcher_ != nullptr && *watcher_) (*watcher_)(reader_, done);
  }

  static constexpr std::uint32_t watch_interval = 1 << 14;

  trace::reader reader_;
  reading_watcher const* watcher_;
  std::uint32_t until_watched_ = watch_interval;
};

/// Where a trace comes from. What cannot be read twice (a pipe) is copied to a temporary file
/// without a name if it is to be: `several` readings.
class trace_source {
 public:
  /// \param file "-" is standard input.
  trace_source(std::string file, bool recover);
  trace_source(trace_source const&) = delete;
  trace_source& operator=(trace_source const&) = delete;
  ~trace_source();

  /// Says that open() will be called more than once. Before the first time.
  /// \throws std::system_error if a pipe cannot be copied.
  void several();

  /// Begins at the beginning. The source outlives the reading.
  /// \note Throws what trace::reader's constructor throws; std::logic_error for a pipe, the second
  ///   time.
  [[nodiscard]] reading open(bool backtraces = true);

  [[nodiscard]] std::string const& name() const noexcept { return name_; }
  void watch(reading_watcher watcher) { watcher_ = std::move(watcher); }

 private:
  std::string file_;
  std::string name_;
  bool recover_;
  bool opened_ = false;
  int copy_ = -1;
  reading_watcher watcher_;
};

}  // namespace memprof::analysis
