// SPDX-License-Identifier: MIT
/// \file
/// From the queue to the file: gives objects their ids, addresses their codes, and encodes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "encoding/encoding.hpp"
#include "tracer/interrupt_notes.hpp"
#include "tracer/session.hpp"

namespace memprof::tracer {

/// threads     the writing thread alone. Some MiB: in mapped pages.
class trace_writer {
 public:
  trace_writer(session& of, code_book& codes) noexcept : session_(of), codes_(codes) {}

  /// Opens the file and writes the trace-info.
  outcome begin() noexcept;
  /// Encodes the events in the queue. True: there were some.
  bool drain() noexcept;
  /// Writes what was encoded since the last time, if anything. False: that failed.
  bool flush() noexcept;
  void end() noexcept;

  /// The failure, if there was one.
  [[nodiscard]] outcome const& result() const noexcept { return result_; }
  [[nodiscard]] bool nothing_to_do() const noexcept;
  /// Whether the queue is filling up, so that the thread must not nap.
  [[nodiscard]] bool crowded() const noexcept;

 private:
  static bool write(void* writer, std::span<std::byte const> packet) noexcept;
  static std::span<trace::location const> locate(void* writer, trace::location_code code) noexcept;

  void take(queued_event const& event) noexcept;
  void allocation(queued_event const& event, traced_block& block) noexcept;
  void promotion(traced_block const& block, std::uint64_t time) noexcept;
  void collection(std::uint32_t tag, std::uint64_t time, bool ours) noexcept;
  void interrupt(queued_event const& event) noexcept;
  void thread(queued_event const& event) noexcept;
  void exit_began(std::uint64_t time) noexcept;
  void take_late() noexcept;
  /// Of the next event to be encoded.
  std::uint64_t since_start(std::uint64_t time) noexcept;

  session& session_;
  code_book& codes_;
  std::uint32_t number_ = 0;
  std::uint64_t start_time_ = 0;
  std::uint64_t latest_ = 0;      ///< time of an event so far
  std::uint64_t earliest_ = 0;    ///< of those to come
  std::uint32_t late_ = 0;        ///< chain of late events
  std::uint64_t late_after_ = 0;  ///< which come after this many events of the queue
  bool unwritten_ = false;
  outcome result_;
  trace_file file_;
  interrupt_notes notes_;
  std::array<char, 32> exit_note_{};
  trace::location noted_;
  // The thread's code comes before the stack. Not zeroed: pages that a start does not touch.
  std::array<trace::location_code, callstack::largest_stack + 1> backtrace_;
  std::array<trace::location_code, callstack::largest_stack + 1> last_backtrace_;
  encoding::stream_encoder encoder_;
};

}  // namespace memprof::tracer
