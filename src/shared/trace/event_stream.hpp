// SPDX-License-Identifier: MIT
/// \file
/// The events of a trace, one after another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "memprof/trace/event.hpp"
#include "memprof/trace/reader.hpp"

#include "trace/location_table.hpp"
#include "trace/packet_walk.hpp"

namespace memprof::inline v0::trace {

class event_stream {
 public:
  event_stream(int descriptor, std::string name, reader_options options);

  bool next(event& e);
  [[nodiscard]] std::span<location const> locations(location_code code);
  [[nodiscard]] std::span<interrupt const> interrupts() const noexcept {
    return locations_.interrupts();
  }
  [[nodiscard]] std::span<note const> notes() const noexcept { return locations_.notes(); }
  [[nodiscard]] std::span<thread const> threads() const noexcept { return locations_.threads(); }
  [[nodiscard]] packet_walk const& packets() const noexcept { return packets_; }

 private:
  bool next_allocation(event& e, std::int64_t time, std::uint32_t id);
  bool next_of_any_kind(event& e);
  bool decode(event& e);
  // These read what follows an event's header and leave `at` at its end. False: the event is
  // invalid and is skipped.
  bool backtrace(std::byte const*& at, std::int64_t prefix, std::size_t codewords, event& e);
  void take_thread(event& e);
  bool short_allocation(std::byte const*& at, std::uint32_t id, event& e);
  bool id_event(std::byte const*& at, std::uint32_t id, event& e);
  bool long_allocation(std::byte const*& at, event& e);
  void other_event(std::byte const*& at, std::uint32_t id);

  std::int64_t odd_time(std::int64_t time);
  bool odd_object(std::byte const* at, std::uint32_t id, std::uint64_t object);
  void odd_backtrace(std::byte const* at);
  bool odd_event(std::byte const* at, char const* what);
  void need_whole(std::byte const* at) const;

  packet_walk packets_;
  bool backtraces_;
  bool cut_noticed_ = false;
  bool unknown_noticed_ = false;
  location_code last_thread_ = 0;  ///< code that was found to be a thread's
  location_table locations_;
};

}  // namespace memprof::inline v0::trace
