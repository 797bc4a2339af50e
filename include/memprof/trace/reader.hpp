// SPDX-License-Identifier: MIT
/// \file
/// Reading traces: memtrace's format, versions 1 to 3.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "memprof/detail/export.hpp"
#include "memprof/trace/event.hpp"
#include "memprof/trace/info.hpp"
#include "memprof/trace/interrupt.hpp"
#include "memprof/trace/note.hpp"
#include "memprof/trace/thread.hpp"

namespace memprof::inline v0::trace {

/// What is wrong with a trace, and where.
class MEMPROF_API format_error : public std::runtime_error {
 public:
  /// \param what the message without the place.
  /// \param offset bytes from the beginning of the file.
  format_error(std::string const& file, std::string const& what, std::uint64_t offset);
  /// The byte of the file that the message is about.
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }

 private:
  std::uint64_t offset_;
};

///  - `backtraces`: false: event::backtrace stays empty, which is several times faster.
///  - `recover`: true: damage is a notice instead of an error. What cannot be read is skipped, and
///    reading continues with the next valid packet. After lost packets frames may be wrong.
struct reader_options {
  bool backtraces = true;
  bool recover = false;
};

/// Reads the events of a trace one after another, in the order of the file.
///
///     memprof::trace::reader trace("a.ctf");
///     for (memprof::trace::event e; trace.next(e);)
///       if (e.kind == memprof::trace::event_kind::allocation) total += e.n_samples;
///
/// Any file may be passed: a damaged or hostile one results in `format_error`, never in a crash, an
/// endless loop or unbounded memory. Memory: 1 MiB of tables for each domain, and a table of
/// locations that grows with the number of different ones; events are not kept.
///
/// \note Threads: one reader belongs to one thread at a time.
class MEMPROF_API reader {
 public:
  /// Opens `file` and reads its trace-info.
  ///
  /// \throws std::system_error if it cannot be opened or read.
  /// \throws format_error if it is no trace.
  explicit reader(std::filesystem::path const& file, reader_options options = {});
  /// Reads from an open descriptor, which may be a pipe, and closes it at the end. `name` is used
  /// in messages.
  reader(int descriptor, std::string name, reader_options options = {});
  ~reader();
  reader(reader&&) noexcept;
  reader& operator=(reader&&) noexcept;

  [[nodiscard]] trace::info const& info() const noexcept;
  [[nodiscard]] std::string const& name() const noexcept;

  /// Reads the next event; false at the end of the trace. May add notices.
  ///
  /// \throws format_error if what follows is damaged.
  /// \throws std::system_error if it cannot be read. In both cases the events before are valid, and
  ///   the reader is at its end.
  /// \note Cost: some 20 ns, and some ns for each frame that the backtrace does not share with the
  ///   one before.
  bool next(event& e);

  /// The positions that `code` stands for; none if nothing is known about it. The views live as
  /// long as the reader.
  ///
  /// \throws format_error if the trace never announced it (with `recover`: none).
  [[nodiscard]] std::span<location const> locations(location_code code) const;

  /// The interrupts read so far, in the order of the file; all of them once the end is reached.
  /// Traces by OCaml have none. Valid until the next event is read.
  [[nodiscard]] std::span<interrupt const> interrupts() const noexcept;

  /// The notes read so far, in the order of the file; all of them once the end is reached. The
  /// views live as long as the reader; the span is valid until the next event is read.
  [[nodiscard]] std::span<note const> notes() const noexcept;

  /// The threads named so far, in the order of the file: before their first allocations, and again
  /// when a name has changed. Of several entries of one number the last one holds. Traces by OCaml
  /// have none. The views live as long as the reader; the span is valid until the next event is
  /// read.
  [[nodiscard]] std::span<thread const> threads() const noexcept;

  /// Irregularities that are not errors, in the order of the file: skipped packets of another
  /// process, a trace that ends in the middle of a packet.
  [[nodiscard]] std::span<std::string const> notices() const noexcept;

  /// Bytes read so far; and the size of the file, unless it is a pipe.
  [[nodiscard]] std::uint64_t bytes_read() const noexcept;
  [[nodiscard]] std::optional<std::uint64_t> size_bytes() const noexcept;

 private:
  struct [[gnu::visibility("hidden")]] state;
  std::unique_ptr<state> state_;
};

}  // namespace memprof::inline v0::trace
