// SPDX-License-Identifier: MIT
/// \file
/// A trace written anew, event by event: what convert, subsample, anonymize and repair share.
#pragma once

#include <cstdint>
#include <optional>

#include "memprof/trace/reader.hpp"
#include "memprof/trace/writer.hpp"

#include "analysis/analysis.hpp"
#include "tools/output_file.hpp"

namespace memprof::tools {

/// The version to write a trace in: the requested one, else its own, but 2 for version 1.
[[nodiscard]] int written_version(trace::info const& info, std::optional<int> asked);

/// Puts events into a new trace. Objects get new ids, so that any of them may be left out.
///
/// \note Memory: grows with the blocks that live at once.
class rewriting {
 public:
  /// Two ways to end a packet whose ids are used up, both memtrace's: `copy` as its subsample,
  /// `afresh` as its strip_names and as traced programs.
  enum class manner { copy, afresh };

  /// \param out committed by the caller after close().
  rewriting(output_file& out, trace::info const& info, trace::location_lookup lookup,
            manner how = manner::copy);

  /// Writes `e`; a promotion or collection only if its object is known.
  /// \return whether it was written.
  /// \throws std::invalid_argument if the format cannot hold its numbers.
  bool put(trace::event const& e);
  /// The same; an event that cannot be held is left out and counted. For damaged traces.
  bool put_if_possible(trace::event const& e);
  void put(trace::interrupt const& i) { writer_.put(i); }
  void put_notes_of(trace::reader const& from) { writer_.put_notes_of(from); }
  void close() { writer_.close(); }

  /// What was written; promotions and collections that were not, as their objects are not known;
  /// events that the format cannot hold.
  struct counts {
    std::uint64_t allocations = 0, promotions = 0, collections = 0, samples = 0, unknown = 0,
                  unwritable = 0;
  };
  [[nodiscard]] counts const& written() const noexcept { return counts_; }

 private:
  struct new_id {
    trace::object_id id = 0;
  };
  trace::writer writer_;
  manner manner_;
  analysis::object_table<new_id> ids_;
  counts counts_;
};

}  // namespace memprof::tools
