// SPDX-License-Identifier: MIT
/// \file
/// The functions that an encoder calls: plain ones, so that nothing allocates on the way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "memprof/trace/event.hpp"

#include "encoding/format.hpp"

namespace memprof::encoding {

/// `context` is passed to each function.
///
///  - `write`: takes one whole packet, for the end of the file. False: it failed, and the encoder
///    is unusable from then on.
///  - `locate`: the positions of a code, called when a packet that announces the code is written;
///    must return the same each time. The span is used before the next call. The texts of its
///    locations must live as long as the encoder.
///  - `draw_ids`: the first of `count` object ids that no other encoder of this trace has. Null:
///    there is no other.
struct encoder_callbacks {
  void* context = nullptr;
  bool (*write)(void* context, std::span<std::byte const> packet) noexcept = nullptr;
  std::span<trace::location const> (*locate)(void* context,
                                             trace::location_code code) noexcept = nullptr;
  std::uint64_t (*draw_ids)(void* context, std::uint64_t count) noexcept = nullptr;
};

/// `trace::info` without the memory for its texts. start_time is in microseconds since 1970, UTC.
struct stream_info {
  int version = newest_version;
  double sample_rate = 1.0;
  unsigned word_bits = 64;
  std::string_view executable_name;
  std::string_view host_name;
  std::string_view runtime_parameters;
  std::string_view context;
  std::uint64_t pid = 0;
  std::uint16_t initial_domain = 0;
  std::uint64_t start_time = 0;
};

}  // namespace memprof::encoding
