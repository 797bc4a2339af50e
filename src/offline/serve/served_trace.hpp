// SPDX-License-Identifier: MIT
/// \file
/// A trace file that is served: its index, read anew when the file grows, and the answers that
/// several routes need.
#pragma once

#include <cstdint>
#include <filesystem>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "analysis/analysis.hpp"
#include "serve/amount_json.hpp"

namespace memprof::serve {

/// file        may not be there yet if `awaited`: the trace is empty until it is.
/// names       null: as in the trace.
struct trace_options {
  std::string file;
  bool recover = false;
  bool awaited = false;
  std::shared_ptr<symbolize::resolver> names;
};

/// The trace as it was at one time; does not change.
struct trace_state {
  std::shared_ptr<analysis::trace_index const> index;
  std::shared_ptr<analysis::index_usage const> whole;  // of everything, nothing hidden
  std::shared_ptr<error_cache> errors;
  std::uint64_t generation = 1;
  std::string file;
};

class served_trace {
 public:
  /// Reads the file.
  /// throws      what trace::reader's constructor throws, unless `awaited`.
  explicit served_trace(trace_options options);
  served_trace(served_trace const&) = delete;
  served_trace& operator=(served_trace const&) = delete;

  [[nodiscard]] std::shared_ptr<trace_state const> now() const;

  /// Reads the file again if it has changed. A file that cannot be read any more leaves all as it
  /// is. One thread at a time.
  ///
  /// returns     whether there is a new generation.
  bool refresh();
  /// Another file from now on, the end of a recording.
  void follow(std::string file);
  /// A process holds the file's lock, or it has changed within the last seconds.
  [[nodiscard]] bool growing() const;

  /// What a selection comes to; the last few are kept. The texts of a selection, as
  /// analysis::selection_of takes them.
  ///
  /// throws      analysis::selection_error.
  [[nodiscard]] std::shared_ptr<analysis::index_usage const> usage(
      trace_state const& state, std::vector<analysis::named_text> const& texts,
      bool hide_allocation_functions, bool inlines = true);

  /// Usages that are kept, for memory: each has 100 bytes for each node of the tree of stacks.
  static constexpr std::size_t most_usages = 8;

 private:
  using usage_future = std::shared_future<std::shared_ptr<analysis::index_usage const>>;
  struct kept_usage {
    std::string key;
    usage_future value;
  };
  struct stamp {
    std::uintmax_t size = 0;
    std::filesystem::file_time_type time{};
    friend bool operator==(stamp const&, stamp const&) = default;
  };

  [[nodiscard]] stamp stamp_of_file() const;
  void read();

  trace_options options_;
  stamp read_at_;  // of the file when it was last read; of who refreshes

  mutable std::mutex mutex_;  // guards what follows
  std::shared_ptr<trace_state const> state_;
  std::list<kept_usage> usages_;  // last used first
  std::string file_;
};

}  // namespace memprof::serve
