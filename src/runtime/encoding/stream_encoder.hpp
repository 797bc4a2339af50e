// SPDX-License-Identifier: MIT
/// \file
/// Encodes the events of one domain: the very bytes that memtrace would write for them.
///
/// Runs inside the profiled program: allocates nothing (its tables are members, some 400 KiB),
/// takes no lock, throws nothing.
///
/// \note Threads: one encoder belongs to one thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "memprof/detail/export.hpp"
#include "memprof/trace/event.hpp"

#include "encoding/backtrace_encoder.hpp"
#include "encoding/byte_writer.hpp"
#include "encoding/encoder_callbacks.hpp"
#include "encoding/format.hpp"
#include "encoding/location_packets.hpp"
#include "encoding/packet_header.hpp"

namespace memprof::encoding {

enum class status : std::uint8_t {
  ok,
  write_failed,  ///< `encoder_callbacks::write` said no; the encoder does nothing any more
  not_encodable  ///< an argument that the format cannot hold; nothing was done
};

/// One domain's events.
///
///     stream_encoder encoder;                      // in mapped pages, not on a stack
///     encoder.remember_in(codes);                  // as long as the longest backtrace
///     encoder.open(info, outside);                 // writes the trace-info
///     trace::object_id id;
///     encoder.allocation(10, trace::heap::minor, 3, 1, backtrace, id);
///     encoder.collection(20, id);
///     encoder.flush();                             // at the end, and when the file shall be whole
class stream_encoder {
 public:
  /// Begins a trace: writes its trace-info, and is the encoder of its initial domain.
  ///
  /// \return not_encodable if the texts do not fit a packet, or a member is out of its range.
  MEMPROF_INTERNAL_API status open(stream_info const& info,
                                   encoder_callbacks const& outside) noexcept;
  /// Is the encoder of another domain of a trace that was begun. Version 3 only, but for domain 0.
  MEMPROF_INTERNAL_API status join(stream_info const& info, std::uint16_t domain,
                                   encoder_callbacks const& outside) noexcept;

  /// See `backtrace_encoder::remember_in`. May be called again with more memory.
  void remember_in(std::span<trace::location_code> memory) noexcept {
    backtraces_.remember_in(memory);
  }
  [[nodiscard]] std::size_t remembers() const noexcept { return backtraces_.remembers(); }

  /// \param time microseconds since the start of the trace, up to 2^62. A time before the last one
  ///   counts as the last one.
  /// \param length words, at most `largest_number`.
  /// \param n_samples 1 to `largest_number`.
  /// \param backtrace outermost caller first; no code is 0. What does not fit 4096 bytes is left
  ///   out.
  /// \param id of the new object, if ok.
  MEMPROF_INTERNAL_API status allocation(std::uint64_t time, trace::heap source,
                                         std::uint64_t length, std::uint64_t n_samples,
                                         std::span<trace::location_code const> backtrace,
                                         trace::object_id& id) noexcept;
  /// An object of this domain, or of another one that ended.
  MEMPROF_INTERNAL_API status promotion(std::uint64_t time, trace::object_id object) noexcept;
  MEMPROF_INTERNAL_API status collection(std::uint64_t time, trace::object_id object) noexcept;

  /// Announces `code` although no backtrace contains it: an interrupt (interrupt_note.hpp). Its
  /// locations are looked up with the others when the packet is written.
  MEMPROF_INTERNAL_API status announce(std::uint64_t time, trace::location_code code) noexcept;

  /// Writes the packet in progress, even if it has no events, and the locations it needs. The next
  /// one begins at the time of the last event.
  MEMPROF_INTERNAL_API status flush() noexcept;

  /// The id that the next allocation gets, if no packet ends before it.
  [[nodiscard]] trace::object_id next_id() const noexcept { return next_id_; }
  /// Whether the next event begins a packet, because no ids are left in the chunk.
  [[nodiscard]] bool ids_used_up() const noexcept { return next_id_ == chunk_end_; }

 private:
  status write_info(stream_info const& info) noexcept;
  status flush(std::uint64_t next_begin) noexcept;
  /// Makes room for an event: the packet ends here if it is full. Returns what `flush` did.
  status make_room(std::uint64_t now) noexcept;
  void draw_ids() noexcept;
  void rewind() noexcept;
  [[nodiscard]] std::uint64_t clamped(std::uint64_t time) const noexcept;
  status id_event(std::uint64_t time, std::uint32_t event, trace::object_id object) noexcept;

  encoder_callbacks outside_;
  packet_header header_;  ///< of the packet begun
  std::uint64_t start_time_ = 0;
  trace::object_id next_id_ = 0;
  trace::object_id chunk_end_ = 0;
  bool failed_ = false;
  std::byte* position_ = nullptr;  ///< in `packet_`, behind the last event
  code_log announced_;
  backtrace_encoder backtraces_;
  location_packets locations_;
  std::array<std::byte, packet_capacity> packet_;  ///< not zeroed: pages that nothing touches
};

}  // namespace memprof::encoding
