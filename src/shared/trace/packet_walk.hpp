// SPDX-License-Identifier: MIT
/// \file
/// From packet to packet: which of them belong to this trace, and where to continue after damage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "memprof/trace/info.hpp"
#include "memprof/trace/reader.hpp"

#include "trace/domain_state.hpp"
#include "trace/malformed.hpp"
#include "trace/notices.hpp"
#include "trace/packet_check.hpp"
#include "trace/packet_source.hpp"

namespace memprof::inline v0::trace {

/// A packet in memory, and how far it was read. Times count from the start of the trace.
/// The order matters: `at` and `event` are stored one after the other, and were they neighbours the
/// compiler would store them at once, from a vector register, for which the load of `at` that every
/// next event begins with had to wait.
struct packet_in_hand {
  std::byte const* at = nullptr;  ///< behind the event read last
  std::byte const* end = nullptr;
  std::int64_t begin = 0;
  std::int64_t latest = 0;
  std::int64_t last_time = 0;  ///< of the domain's events so far
  std::uint64_t next_id = 0;
  std::uint32_t low_begin = 0;  ///< low bits of `begin`, as events have them
  std::uint16_t domain_id = 0;
  domain_state* domain = nullptr;
  std::byte const* event = nullptr;  ///< the one read last
};

class packet_walk {
 public:
  /// Reads the trace-info. Throws `malformed`, like `next`; `error` makes a format_error of it.
  packet_walk(int descriptor, std::string name, reader_options options);
  void open();

  /// The next packet of this trace that has events of some kind; false at the end.
  bool next();

  /// Throws an error, or returns after a notice if the reader recovers.
  void complain(std::string const& what, std::byte const* at);
  void notice(std::string const& what, std::byte const* at) {
    notices_.add(what, source_.offset_of(at));
  }
  [[nodiscard]] format_error error(malformed const& problem) const;

  /// After `malformed`: notes it and looks for the next packet. Call it only if the reader
  /// recovers.
  void recover_from(malformed const& problem);
  /// There is nothing more to read.
  void finish() noexcept;

  packet_in_hand packet;

  [[nodiscard]] reader_options const& options() const noexcept { return options_; }
  [[nodiscard]] trace::info const& info() const noexcept { return info_; }
  [[nodiscard]] std::string const& name() const noexcept { return name_; }
  [[nodiscard]] std::span<std::string const> notices() const noexcept { return notices_.all(); }
  [[nodiscard]] std::uint64_t bytes_read() const noexcept;
  [[nodiscard]] std::optional<std::uint64_t> size_bytes() const noexcept { return source_.size(); }
  /// Of the event read last.
  [[nodiscard]] std::uint64_t event_offset() const noexcept {
    return packet_offset_ + static_cast<std::uint64_t>(packet.event - packet_begin_);
  }
  /// The times of the current packet are before those of its domain; with `recover` only.
  [[nodiscard]] bool clock_went_back() const noexcept { return clock_went_back_; }

 private:
  bool ends_in_packet();
  bool take(packet_facts const& facts);
  void leave_packet();
  void put_away() noexcept;
  void check_ids(packet_facts const& facts);
  bool look_for_packet();
  [[nodiscard]] bool plausible(std::byte const* at) const;

  std::string name_;
  reader_options options_;
  packet_source source_;
  trace::info info_;
  std::int64_t start_ = 0;
  class notices notices_;
  domains domains_;
  bool in_packet_ = false;
  bool finished_ = false;
  bool clock_went_back_ = false;
  std::uint64_t end_id_ = 0;
  std::byte const* packet_begin_ = nullptr;
  std::uint64_t packet_offset_ = 0;
};

}  // namespace memprof::inline v0::trace
