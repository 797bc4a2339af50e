// SPDX-License-Identifier: MIT
/// \file
/// The events of a trace as CSV or JSON, for programs that compute with them.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "memprof/trace/reader.hpp"

#include "analysis/analysis.hpp"

namespace memprof::exports {

/// Writes events as they are read: memory grows only with the number of different locations.
///
///  - `csv`: time_us,domain,event,object,heap,length_words,samples,estimated_bytes,stack,thread,
///    thread_name: one line for each event; the stack as function names, outermost first, joined by
///    ';'. Quoted as RFC 4180 has it. Of an allocation by a known thread, its number in the trace,
///    and its name.
///  - `json`: one object: schema_version, info, events (an array; an allocation's `backtrace` holds
///    numbers of `codes`, its `thread`, if known, one of `threads`), threads, {"NUMBER": {"id",
///    "name"}}, and codes, {"CODE": [{"function", "file", "line", ...}]}.
class event_table {
 public:
  enum class format { csv, json };
  event_table(std::ostream& out, trace::info const& info, format f, analysis::naming how = {});
  /// \param reader that `e` was read from.
  void add(trace::event const& e, trace::reader const& reader);
  void finish();

 private:
  void add_csv(trace::event const& e, trace::reader const& reader);
  void add_json(trace::event const& e, trace::reader const& reader);

  std::ostream& out_;
  trace::info info_;
  format format_;
  bool any_ = false;
  analysis::code_table codes_;
  analysis::named_threads threads_;
  std::vector<std::string> texts_;  // of each code, for csv
};

}  // namespace memprof::exports
