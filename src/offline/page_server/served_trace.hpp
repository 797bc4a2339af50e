// SPDX-License-Identifier: MIT
/// \file
/// A trace file that is served: its index as the page takes it, made anew when the file grows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "analysis/analysis.hpp"
#include "page_server/frame_tree.hpp"
#include "page_server/source_files.hpp"
#include "page_server/trace_json.hpp"

namespace memprof::page_server {

///  - `file`: may not be there yet if `awaited`: the trace is empty until it is.
///  - `names`: null: as in the trace.
///  - `version`: of memprof.
///  - `most`: blocks in the index (analysis::trace_index).
///  - `most_calls`: in the tree of their stacks (frame_tree).
struct trace_options {
  std::string file;
  bool recover = false;
  bool awaited = false;
  std::shared_ptr<symbolize::resolver> names;
  std::string version;
  std::size_t most = analysis::trace_index::usual_most;
  std::size_t most_calls = frame_tree::usual_most;
};

/// The trace as it was at one time; does not change.
///
///  - `facts`: as `trace_json` writes them.
///  - `index`: as `pack` writes it; the trace itself is not kept.
///  - `sources`: the files and lines of its frames.
struct trace_state {
  json facts;
  std::shared_ptr<std::string const> index;
  source_lines sources;
  std::optional<std::string> damage;
  std::uint64_t generation = 1;
};

class served_trace {
 public:
  /// Reads the file.
  /// \note Throws what trace::reader's constructor throws, unless `awaited`.
  explicit served_trace(trace_options options);
  served_trace(served_trace const&) = delete;
  served_trace& operator=(served_trace const&) = delete;

  [[nodiscard]] std::shared_ptr<trace_state const> now() const;

  /// Reads the file again if it has changed. A file that cannot be read any more leaves all as it
  /// is. One thread at a time.
  ///
  /// \return whether there is a new generation.
  bool refresh();
  /// Another file from now on, the end of a recording.
  void follow(std::string file);
  /// A process holds the file's lock, or it has changed within the last seconds.
  [[nodiscard]] bool growing() const;

 private:
  struct stamp {
    std::uintmax_t size = 0;
    std::filesystem::file_time_type time{};
    friend bool operator==(stamp const&, stamp const&) = default;
  };

  [[nodiscard]] stamp stamp_of_file() const;
  void read();
  /// Takes what was read for the next generation.
  void adopt(analysis::trace_index const& index);

  trace_options options_;
  stamp read_at_;  // of the file when it was last read; of who refreshes

  mutable std::mutex mutex_;  // guards what follows
  std::shared_ptr<trace_state const> state_;
  std::string file_;
};

}  // namespace memprof::page_server
