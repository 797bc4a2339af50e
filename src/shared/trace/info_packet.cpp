// SPDX-License-Identifier: MIT
#include "trace/info_packet.hpp"

#include "trace/byte_reader.hpp"
#include "trace/malformed.hpp"

namespace memprof::inline v0::trace {

info read_info_packet(std::byte const* at, packet_facts const& facts, std::byte const*& rest) {
  byte_reader in(at + facts.header_size, at + facts.size);
  std::byte const* const event = in.position();
  std::uint32_t const head = in.u32();
  if (head >> encoding::event_time_bits != encoding::event_trace_info) {
    throw malformed{"the first packet does not begin with the trace-info", event};
  }
  auto const begin = static_cast<std::uint32_t>(facts.begin);
  if (((head ^ begin) & encoding::event_time_mask) != 0) {
    throw malformed{"the trace-info's time is not that of its packet", event};
  }
  info result;
  result.version = facts.version;
  result.initial_domain = facts.domain;
  result.start_time =
      std::chrono::sys_time<std::chrono::microseconds>(std::chrono::microseconds(facts.begin));
  std::byte const* const rate = in.position();
  result.sample_rate = in.f64();
  if (!(result.sample_rate > 0.0 && result.sample_rate <= 1.0)) {
    throw malformed{"the sampling rate is not in (0, 1]", rate};
  }
  std::byte const* const word = in.position();
  result.word_bits = in.u8();
  if (result.word_bits != 32 && result.word_bits != 64) {
    throw malformed{"words of " + std::to_string(result.word_bits) + " bits", word};
  }
  result.executable_name = in.text();
  result.host_name = in.text();
  result.runtime_parameters = in.text();
  result.pid = in.u64();
  if (encoding::has_context(facts.version)) result.context = in.text();
  rest = in.position();
  return result;
}

}  // namespace memprof::inline v0::trace
