// SPDX-License-Identifier: MIT
/// \file
/// The events of a trace as CSV or JSON, for programs that compute with them.
#pragma once

#include <iosfwd>
#include <string>
#include <unordered_map>

#include "memprof/trace/reader.hpp"

namespace memprof::exports {

/// Writes events as they are read, so memory does not grow with them.
///
/// csv    time_us,domain,event,object,heap,length_words,samples,estimated_bytes,stack: one line for
///        each event; the stack as function names, outermost first, joined by ';'. Quoted as RFC 4180
///        has it.
/// json   one object: schema_version, info, events (an array; an allocation's `backtrace` holds
///        numbers of `codes`), and codes, {"CODE": [{"function", "file", "line", ...}]}.
class event_table {
 public:
  enum class format { csv, json };
  event_table(std::ostream& out, trace::reader const& reader, format f);
  void add(trace::event const& e);
  void finish();

 private:
  void add_csv(trace::event const& e);
  void add_json(trace::event const& e);
  std::string const& frames_text(trace::location_code code);

  std::ostream& out_;
  trace::reader const& reader_;
  format format_;
  bool any_ = false;
  std::unordered_map<trace::location_code, std::string> codes_;
};

}  // namespace memprof::exports
