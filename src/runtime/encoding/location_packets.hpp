// SPDX-License-Identifier: MIT
/// \file
/// Packets with the locations of codes, written before the events that use them first.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "memprof/trace/event.hpp"

#include "encoding/encoder_callbacks.hpp"
#include "encoding/format.hpp"
#include "encoding/name_tables.hpp"
#include "encoding/packet_header.hpp"

namespace memprof::encoding {

/// What the format lets one code have; a longer list becomes one location, "<unknown>".
inline constexpr std::size_t most_locations = 255;
inline constexpr std::size_t location_budget = 4096;
/// Bytes of an event without its header, and of a location in it, if every name is written out.
inline constexpr std::size_t location_event_bytes = 9;
inline std::size_t bytes_of_location(trace::location const& l) noexcept {
  return 6 + text_before_zero(l.filename).size() + 1 + text_before_zero(l.defname).size() + 1;
}

class location_packets {
 public:
  /// Writes as many packets as these codes need.
  ///
  /// \param header of the packets: the times and ids are those of the begin of the packet of events
  ///   that follows.
  /// \return whether that worked.
  bool write(std::span<trace::location_code const> codes, packet_header const& header,
             encoder_callbacks const& outside) noexcept;

 private:
  name_tables names_;
  std::array<std::byte, packet_capacity> packet_;  ///< not zeroed
};

}  // namespace memprof::encoding
