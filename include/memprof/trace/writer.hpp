// SPDX-License-Identifier: MIT
/// \file
/// Writing traces: memtrace's format, versions 2 and 3, byte for byte as memtrace would write it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>

#include "memprof/detail/export.hpp"
#include "memprof/trace/event.hpp"
#include "memprof/trace/info.hpp"
#include "memprof/trace/interrupt.hpp"
#include "memprof/trace/note.hpp"
#include "memprof/trace/thread.hpp"

namespace memprof::inline v0::trace {

class reader;

/// Returns the positions of a code. Called once for each code and packet that announces it; must
/// return the same each time. The span need only live until the next call.
using location_lookup = std::function<std::span<location const>(location_code)>;

/// Takes one whole packet. May throw: the exception leaves the writer, which is then unusable.
using packet_sink = std::function<void(std::span<std::byte const>)>;

/// Writes a trace, one event after another.
///
///     writer w("out.ctf", info, [&](auto code) { return positions.at(code); });
///     auto id = w.allocation(10us, heap::minor, 3, 1, stack);   // outermost first
///     w.collection(20us, id);
///     w.close();
///
/// Events of several domains may be mixed. Within a domain times must not decrease: an earlier time
/// is written as the domain's last one. The start of the file is written at once.
///
/// \note Memory: 1 MiB for each domain.
class MEMPROF_API writer {
 public:
  /// \param info info.version is 2 or 3 (2: domain 0 only).
  /// \throws std::invalid_argument for an info that the format cannot hold, naming the member.
  writer(packet_sink sink, trace::info const& info, location_lookup lookup);
  /// The same into `file`, which is created for its owner alone, or replaced.
  /// \throws std::system_error from this and the other members.
  writer(std::filesystem::path const& file, trace::info const& info, location_lookup lookup);
  /// Does not close: an unfinished trace remains readable up to its last packet.
  ~writer();
  writer(writer&&) noexcept;
  writer& operator=(writer&&) noexcept;

  /// \param thread 0: not known. Costs nothing while one thread allocates, some bytes at a switch.
  /// \return the new object's id.
  /// \throws std::invalid_argument for numbers that the format cannot hold.
  object_id allocation(std::chrono::microseconds time, heap source, std::uint64_t length,
                       std::uint64_t n_samples, std::span<location_code const> backtrace,
                       std::uint16_t domain = 0, std::uint32_t thread = 0);
  void promotion(std::chrono::microseconds time, object_id object, std::uint16_t domain = 0);
  void collection(std::chrono::microseconds time, object_id object, std::uint16_t domain = 0);

  /// Writes an event that was read, as memtrace's copying tools write it: when an allocation finds
  /// the ids of a packet used up, the packet's time range ends at its last event, not at this one.
  ///
  /// \return for an allocation the object's new id, which may differ from `e.object`; otherwise
  ///   `e.object`.
  object_id put(event const& e);

  /// Writes an interrupt, which other readers skip. The stack is copied; if it does not fit the
  /// format (4 KiB), the outermost calls are left out.
  void put(interrupt const& i);

  /// Writes a note, which other readers skip. A zero in it ends its value. A reader has it after
  /// the events that were written before, and before those that are written afterwards.
  void put(note const& n);
  /// Names a thread, for its allocations from here on. At most 64 bytes of the name are kept, and
  /// 256 different names of one thread.
  void put(thread const& t);
  /// Writes the notes of `from`, which is copied event by event, and the names of its threads, that
  /// were not written so far. Call it before each event is put, and at the end.
  void put_notes_of(reader const& from);

  /// Writes the packet in progress, if it has events, so that a reader of the unfinished trace sees
  /// them.
  void flush();
  /// Writes the packet in progress, even if it has no events. Call it once, at the end, to complete
  /// the trace.
  void close();

 private:
  struct [[gnu::visibility("hidden")]] state;
  std::unique_ptr<state> state_;
};

}  // namespace memprof::inline v0::trace
