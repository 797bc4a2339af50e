// SPDX-License-Identifier: MIT
#include "trace/packet_walk.hpp"

#include <cstring>
#include <utility>

#include "trace/info_packet.hpp"

namespace memprof::inline v0::trace {

namespace {

std::string process(std::uint64_t pid) { return std::to_string(static_cast<std::int64_t>(pid)); }

}  // namespace

packet_walk::packet_walk(int descriptor, std::string name, reader_options options)
    : name_(std::move(name)), options_(options), source_(descriptor, name_) {}

void packet_walk::open() {
  if (!source_.ensure(encoding::common_header_size)) {
    if (source_.available() >= 4 && !is_packet(source_.data())) packet_version(source_.data());
    throw malformed{
        source_.available() == 0 ? "the file is empty" : "the file ends within its first packet",
        source_.data() + source_.available()};
  }
  int const version = packet_version(source_.data());
  auto const need = [this](std::size_t bytes) {
    if (!source_.ensure(bytes)) {
      throw malformed{"the file ends within its first packet",
                      source_.data() + source_.available()};
    }
  };
  need(encoding::header_size(version));
  packet_facts const facts = read_packet_header(source_.data(), version);
  need(facts.size);
  std::byte const* rest = nullptr;
  info_ = read_info_packet(source_.data(), facts, rest);
  std::byte const* const end = source_.data() + facts.size;
  if (rest != end) complain("something follows the trace-info in its packet", rest);
  start_ = facts.begin;
  packet_begin_ = packet.event = packet.at = packet.end = source_.data();
  source_.go_to(end);
}

bool packet_walk::next() {
  if (in_packet_) leave_packet();
  while (!finished_) {
    if (!source_.ensure(encoding::common_header_size)) return ends_in_packet();
    int const version = packet_version(source_.data());
    if (version != info_.version) {
      throw malformed{"a packet of version " + std::to_string(version) + " in a trace of version " +
                          std::to_string(info_.version),
                      source_.data()};
    }
    if (!source_.ensure(encoding::header_size(version))) return ends_in_packet();
    packet_facts const facts = read_packet_header(source_.data(), version);
    if (!source_.ensure(facts.size)) {
      if (!options_.recover) return ends_in_packet();
      throw malformed{"the trace ends within a packet", source_.data()};
    }
    if (take(facts)) return true;
    source_.go_to(source_.data() + facts.size);
  }
  return false;
}

bool packet_walk::ends_in_packet() {
  std::byte const* const at = source_.data();
  std::size_t const left = source_.available();
  if (left >= sizeof encoding::packet_magic && !is_packet(at)) packet_version(at);
  if (left > 0)
    notice("the trace ends within a packet, of which " + std::to_string(left) +
               " bytes are there: it is left out,",
           at);
  finish();
  return false;
}

bool packet_walk::take(packet_facts const& facts) {
  std::byte const* const at = source_.data();
  if (facts.pid != info_.pid) {
    notice("a packet of process " + process(facts.pid) + " is left out (the trace is of process " +
               process(info_.pid) + "),",
           at);
    return false;
  }
  domain_state* const domain = domains_.get(facts.domain);
  if (domain == nullptr) {
    complain("more than " + std::to_string(domains::most) + " domains", at);
    return false;
  }
  packet_begin_ = at;
  packet_offset_ = source_.offset();
  packet.event = packet.at = at + facts.header_size;
  packet.end = at + facts.size;
  packet.low_begin = static_cast<std::uint32_t>(facts.begin) & encoding::event_time_mask;
  packet.begin = facts.begin - start_;
  packet.latest = facts.end - start_;
  packet.next_id = static_cast<std::uint64_t>(facts.first_id);
  packet.last_time = domain->last_time;
  packet.domain_id = facts.domain;
  packet.domain = domain;
  end_id_ = static_cast<std::uint64_t>(facts.end_id);
  in_packet_ = true;
  clock_went_back_ = options_.recover && packet.begin < domain->last_time;
  if (clock_went_back_) notice("the clock was set back before this packet,", at);
  check_ids(facts);
  if (options_.backtraces && facts.check_index != encoding::no_verification &&
      !domain->backtraces.is(facts.check_index, facts.check_predicted, facts.check_code)) {
    complain(
        "the cache of backtraces is not as it was when the packet was written: a packet is "
        "missing or damaged,",
        at);
  }
  return true;
}

void packet_walk::check_ids(packet_facts const& facts) {
  std::int64_t const before = packet.domain->end_id;
  packet.domain->end_id = facts.end_id;
  // With domains, ids may jump when a chunk of them is used up.
  bool const may_jump = before < 0 || (encoding::has_domains(facts.version) &&
                                       before % static_cast<std::int64_t>(encoding::id_chunk) == 0);
  if (facts.first_id == before || may_jump) return;
  notice("object ids jump from " + std::to_string(before) + " to " +
             std::to_string(facts.first_id) + ": a packet may be missing, and frames be wrong,",
         source_.data());
}

void packet_walk::leave_packet() {
  put_away();
  source_.go_to(packet.end);
  if (packet.next_id != end_id_) {
    complain("the object ids of a packet end at " + std::to_string(packet.next_id) + ", not " +
                 std::to_string(end_id_) + ",",
             packet.end);
  }
}

void packet_walk::finish() noexcept {
  finished_ = true;
  put_away();
}

void packet_walk::put_away() noexcept {
  if (in_packet_) packet.domain->last_time = packet.last_time;
  in_packet_ = false;
  packet.at = packet.end;
}

void packet_walk::complain(std::string const& what, std::byte const* at) {
  if (!options_.recover) throw malformed{what, at};
  notice(what, at);
}

format_error packet_walk::error(malformed const& problem) const {
  return {name_, problem.what, source_.offset_of(problem.at)};
}

void packet_walk::recover_from(malformed const& problem) {
  notice(problem.what, problem.at);
  // The size of a damaged packet is not to be trusted: the next one may be within.
  source_.go_to(in_packet_ ? packet.event : source_.data() + 1);
  put_away();
  if (!look_for_packet()) finish();
}

bool packet_walk::look_for_packet() {
  std::size_t const header = encoding::header_size(info_.version);
  while (source_.ensure(header)) {
    std::byte const* const last = source_.data() + (source_.available() - header);
    for (std::byte const* at = source_.data(); at <= last; ++at) {
      auto const left = static_cast<std::size_t>(last - at) + 1;
      void const* const found = std::memchr(at, encoding::packet_magic & 0xFF, left);
      if (found == nullptr) break;
      at = static_cast<std::byte const*>(found);
      if (plausible(at)) {
        source_.go_to(at);
        return true;
      }
    }
    source_.go_to(last + 1);
  }
  return false;
}

bool packet_walk::plausible(std::byte const* at) const {
  try {
    return is_packet(at) && packet_version(at) == info_.version &&
           read_packet_header(at, info_.version).pid == info_.pid;
  } catch (malformed const&) {
    return false;
  }
}

std::uint64_t packet_walk::bytes_read() const noexcept {
  return in_packet_ ? source_.offset_of(packet.at) : source_.offset();
}

}  // namespace memprof::inline v0::trace
