// SPDX-License-Identifier: MIT
/// \file
/// The trace of one process, encoded as its records come.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "memprof/detail/export.hpp"

#include "base/base.hpp"
#include "encoding/encoding.hpp"
#include "records/interrupt_notes.hpp"
#include "records/record_sink.hpp"
#include "records/thread_book.hpp"

namespace memprof::records {

/// What a trace says of its process that is not in the records. The texts live as long as the
/// trace.
struct trace_origin {
  std::string_view host_name;
  std::string_view context;
  std::uint64_t process = 0;
};

/// Where its packets go; `context` is passed to each function.
///
///  - `write`: at the end. False: it failed, and the trace ends.
///  - `restart`: empties what was written so far.
struct packet_output {
  void* context = nullptr;
  bool (*write)(void* context, std::span<std::byte const> packet) noexcept = nullptr;
  void (*restart)(void* context) noexcept = nullptr;
};

/// Gives objects their ids, addresses their codes, and encodes. Allocates nothing. Its size is some
/// MiB, of which few pages are touched at first: in mapped pages.
///
/// \note Threads: one at a time.
class MEMPROF_INTERNAL_API process_trace final : public record_sink {
 public:
  process_trace(trace_origin const& origin, packet_output const& output) noexcept
      : origin_(origin), output_(output) {}

  /// The first that counts is of the kind `begin`.
  void take(relay::popped_record const& r) noexcept override;
  /// Written behind the events so far.
  void note(std::string_view name, std::string_view value) noexcept;
  /// Writes what was encoded since the last time, if anything.
  void flush() noexcept;
  /// Completes the trace.
  void end() noexcept;

  /// What ended the trace before `end`: `output` refused a packet, the format has no room for
  /// something, or there is no memory for a block.
  enum class failure : std::uint8_t { none, write, encode, memory };
  [[nodiscard]] failure failed() const noexcept { return failed_; }
  /// It has a trace-info.
  [[nodiscard]] bool has_begun() const noexcept { return contents_.has_value(); }
  /// An event was encoded.
  [[nodiscard]] bool sampled() const noexcept { return any_; }
  /// Microseconds since 1970.
  [[nodiscard]] std::uint64_t start_time() const noexcept { return start_time_; }

  struct event_counts {
    std::uint64_t allocations = 0;
    std::uint64_t promotions = 0;
    std::uint64_t collections = 0;
  };
  [[nodiscard]] event_counts const& counts() const noexcept { return counts_; }

 private:
  static constexpr std::size_t most_frames = relay::ring::most_words;

  /// What refers to one encoder.
  struct contents {
    contents() noexcept {}  // zeroes nothing that its members do not zero
    module_table modules;
    code_names names{modules};
    thread_book threads;
    interrupt_notes interrupts;
    base::mapped_array<std::string_view> notes;  ///< "NAME=VALUE"
    base::text_store texts;
    trace::location noted;
    std::array<trace::location_code, most_frames> last_backtrace;
    encoding::stream_encoder encoder;
  };

  static std::span<trace::location const> locate(void* trace, trace::location_code code) noexcept;
  /// Whether it was.
  bool encoded(encoding::status how) noexcept;

  void begin(relay::popped_record const& r) noexcept;
  void open(relay::popped_record const& r, double rate) noexcept;
  void allocation(relay::popped_record const& r) noexcept;
  void promotion(relay::record_head const& of) noexcept;
  void collection(std::uint32_t tag, std::uint64_t time) noexcept;
  void interrupt(relay::popped_record const& r) noexcept;
  void name_thread(relay::popped_record const& r) noexcept;
  void exit_began(std::uint64_t time) noexcept;
  void announce_note(std::uint64_t time, std::string_view name, std::string_view value) noexcept;
  /// In the trace; a program that replaced another begins at 1 again.
  std::uint32_t number_of(std::uint64_t thread) noexcept;
  /// Of the next event to be encoded.
  std::uint64_t since_start(std::uint64_t time) noexcept;

  trace_origin origin_;
  packet_output output_;
  failure failed_ = failure::none;
  bool any_ = false;
  bool unwritten_ = false;         ///< anything since the last packet
  bool unwritten_events_ = false;  ///< events since then, or since the last note
  bool exit_began_ = false;
  bool fault_noted_ = false;
  std::uint64_t start_time_ = 0;
  std::uint64_t latest_ = 0;          ///< time of an event so far
  std::uint64_t earliest_ = 0;        ///< of those to come
  std::uint32_t threads_before_ = 0;  ///< those of programs that were replaced
  std::uint32_t threads_ = 0;         ///< the largest number in the trace
  event_counts counts_;
  base::mapped_array<trace::object_id> objects_;  ///< of living blocks, by their tags: id + 1
  std::array<trace::location_code, most_frames> backtrace_;  // not zeroed
  std::optional<contents> contents_;
};

}  // namespace memprof::records
