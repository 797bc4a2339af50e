// SPDX-License-Identifier: MIT
/// \file
/// Events as lines of text, memtrace's `dump_trace`.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "memprof/trace/reader.hpp"

#include "analysis/flat_index.hpp"
#include "analysis/named_threads.hpp"
#include "symbolize/symbolize.hpp"

namespace memprof::analysis {

/// Makes the lines of one trace's events, which must all come by, in order. What a backtrace shares
/// with the one before is not formatted again.
class event_text {
 public:
  /// \param names null: as the trace has them.
  explicit event_text(trace::reader const& reader, std::shared_ptr<symbolize::resolver> names)
      : reader_(reader), names_(std::move(names)) {}

  /// The line of `e`, its newline in it. Good until the next call.
  ///
  ///     0000000010 0000000000 alloc 1 len=3 dom=0    0: Main@main.ml:10:2-30 $104
  ///
  /// In a trace with threads, which memtrace's are not, "dom=0" is followed by the number and the
  /// name of the block's: "thread=2 (worker)".
  ///
  /// \throws trace::format_error for a code that was never announced.
  std::string_view line(trace::event const& e);

  /// The text of one code: " Main@main.ml:10:2-30", a blank before each location; " $104".
  std::string_view code_text(trace::location_code code);

 private:
  /// The last line of a domain's allocations, and where each frame of it ends.
  struct last_line {
    std::string text;
    std::size_t head = 0;              // the first frame is behind it
    std::vector<std::size_t> ends{0};  // counted from the head
  };
  std::string_view add_code(trace::location_code code, std::uint32_t& place);

  trace::reader const& reader_;
  std::shared_ptr<symbolize::resolver> names_;
  symbolize::whole_names whole_;
  flat_index index_;
  std::vector<std::string> texts_;
  std::unordered_map<std::uint16_t, last_line> lines_;
  named_threads threads_;
  std::string head_, short_line_;
};

}  // namespace memprof::analysis
