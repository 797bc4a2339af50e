// SPDX-License-Identifier: MIT
//
// What `event_stream` does with events that are not as they should be: it refuses them, complains,
// or notices. Apart from event_stream.cpp because none of it is on the way of a sound event.
#include "trace/event_stream.hpp"

namespace memprof::inline v0::trace {

std::int64_t event_stream::odd_time(std::int64_t time) {
  packet_in_hand const& packet = packets_.packet;
  need_whole(packet.event + sizeof(std::uint32_t));
  if (time > packet.latest) {
    throw malformed{"an event's time is not within that of its packet", packet.event};
  }
  if (packets_.clock_went_back()) return packet.last_time;
  throw malformed{"the times of events go backwards", packet.event};
}

/// A promotion or collection of an object that is not older than the event.
bool event_stream::odd_object(std::byte const* at, std::uint32_t id, std::uint64_t object) {
  need_whole(at);
  if (static_cast<std::int64_t>(object) < 0) return odd_event(at, "a negative object id");
  if (id == encoding::event_promotion) {
    return odd_event(at, "an object is promoted before it is allocated");
  }
  // Another domain's, where there are domains. memtrace lets it pass elsewhere, too.
  if (!encoding::has_domains(packets_.info().version)) {
    packets_.notice("an object is collected before it is allocated", packets_.packet.event);
  }
  return true;
}

void event_stream::odd_backtrace(std::byte const* at) {
  need_whole(at);
  backtrace_decoder& decoder = packets_.packet.domain->backtraces;
  if (decoder.met_nothing()) {
    packets_.complain("a backtrace uses a part of the cache that was never filled",
                      packets_.packet.event);
  }
  if (decoder.cut() && !cut_noticed_) {
    cut_noticed_ = true;
    packets_.notice("backtraces of more than " + std::to_string(backtrace_budget::longest) +
                        " entries are cut, the first one",
                    packets_.packet.event);
  }
}

/// An event whose extent is known but that is invalid. With `recover` it is skipped.
bool event_stream::odd_event(std::byte const* at, char const* what) {
  need_whole(at);
  packets_.complain(what, packets_.packet.event);
  return false;
}

/// \param at where what was read of the event ends.
void event_stream::need_whole(std::byte const* at) const {
  if (at > packets_.packet.end) throw malformed{event_cut, packets_.packet.event};
}

}  // namespace memprof::inline v0::trace
