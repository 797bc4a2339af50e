// SPDX-License-Identifier: MIT
#include "encoding/stream_encoder.hpp"

#include <algorithm>

namespace memprof::encoding {

namespace {

/// Room that every event has: its numbers, and the budget of a backtrace.
constexpr std::size_t flush_margin = 100 + code_log::backtrace_budget;

/// Times stay below 2^63 when the start is added.
constexpr std::uint64_t latest_time = std::uint64_t{1} << 62;

constexpr std::size_t shortest_long_backtrace = 256;

bool encodable(stream_info const& info, std::uint16_t domain) noexcept {
  bool const version = info.version == 2 || info.version == 3;
  bool const domains = has_domains(info.version) || (domain == 0 && info.initial_domain == 0);
  bool const rate = info.sample_rate > 0.0 && info.sample_rate <= 1.0;
  bool const word = info.word_bits == 32 || info.word_bits == 64;
  return version && domains && rate && word && info.start_time < latest_time;
}

}  // namespace

status stream_encoder::open(stream_info const& info, encoder_callbacks const& outside) noexcept {
  if (!encodable(info, info.initial_domain)) return status::not_encodable;
  outside_ = outside;
  if (status const written = write_info(info); written != status::ok) return written;
  return join(info, info.initial_domain, outside);
}

status stream_encoder::join(stream_info const& info, std::uint16_t domain,
                            encoder_callbacks const& outside) noexcept {
  if (!encodable(info, domain)) return status::not_encodable;
  outside_ = outside;
  start_time_ = info.start_time;
  header_ = {.version = info.version,
             .domain = domain,
             .pid = info.pid,
             .begin = start_time_,
             .end = start_time_,
             .first_id = 0,
             .end_id = 0,
             .check = {}};
  draw_ids();
  header_.first_id = next_id_;
  rewind();
  return status::ok;
}

status stream_encoder::write_info(stream_info const& info) noexcept {
  std::string_view const texts[] = {
      text_before_zero(info.executable_name), text_before_zero(info.host_name),
      text_before_zero(info.runtime_parameters), text_before_zero(info.context)};
  std::size_t size = header_size(info.version) + sizeof(std::uint32_t) + sizeof(double) + 1 +
                     sizeof(std::uint64_t);
  for (std::string_view const text : texts) {
    if (text.size() >= packet_capacity) return status::not_encodable;
    size += text.size() + 1;
  }
  if (size > packet_capacity) return status::not_encodable;
  byte_writer out(packet_.data());
  put_header(out,
             {.version = info.version,
              .domain = info.initial_domain,
              .pid = info.pid,
              .begin = info.start_time,
              .end = info.start_time,
              .first_id = 0,
              .end_id = 0,
              .check = {}},
             size);
  put_event_header(out, info.start_time, event_trace_info);
  out.f64(info.sample_rate);
  out.u8(static_cast<std::uint8_t>(info.word_bits));
  for (std::size_t i = 0; i < 3; ++i) out.text(texts[i]);
  out.u64(info.pid);
  out.text(texts[3]);
  failed_ = !outside_.write(outside_.context, {packet_.data(), size});
  return failed_ ? status::write_failed : status::ok;
}

void stream_encoder::draw_ids() noexcept {
  if (!has_domains(header_.version)) {
    chunk_end_ = largest_number;
    return;
  }
  if (outside_.draw_ids != nullptr) {
    next_id_ = outside_.draw_ids(outside_.context, id_chunk);
  } else {
    next_id_ = chunk_end_;
  }
  chunk_end_ = next_id_ + id_chunk;
}

void stream_encoder::rewind() noexcept {
  position_ = packet_.data() + header_size(header_.version);
}

status stream_encoder::flush() noexcept { return flush(header_.end); }

status stream_encoder::flush(std::uint64_t next_begin) noexcept {
  if (failed_) return status::write_failed;
  packet_header locations = header_;
  locations.end = header_.begin;
  locations.end_id = header_.first_id;
  locations.check = {};
  failed_ = !locations_.write(announced_.codes(), locations, outside_);
  if (failed_) return status::write_failed;
  announced_.clear();

  auto const size = static_cast<std::size_t>(position_ - packet_.data());
  header_.end_id = next_id_;
  byte_writer head(packet_.data());
  put_header(head, header_, size);
  failed_ = !outside_.write(outside_.context, {packet_.data(), size});
  if (failed_) return status::write_failed;

  if (next_id_ == chunk_end_) draw_ids();
  header_.begin = header_.end = next_begin;
  header_.first_id = next_id_;
  header_.check = backtraces_.next_check();
  rewind();
  return status::ok;
}

status stream_encoder::make_room(std::uint64_t now) noexcept {
  auto const left = static_cast<std::size_t>(packet_.data() + packet_.size() - position_);
  if (left < flush_margin || announced_.codes().size() > code_log::flush_above ||
      now - header_.begin > longest_packet_us || next_id_ == chunk_end_) {
    return flush(now);
  }
  return failed_ ? status::write_failed : status::ok;
}

std::uint64_t stream_encoder::clamped(std::uint64_t time) const noexcept {
  return std::max(start_time_ + std::min(time, latest_time), header_.end);
}

status stream_encoder::allocation(std::uint64_t time, trace::heap source, std::uint64_t length,
                                  std::uint64_t n_samples,
                                  std::span<trace::location_code const> backtrace,
                                  trace::object_id& id) noexcept {
  // A code of 0 would be found in every empty bucket, and so never be announced.
  if (length > largest_number || n_samples < 1 || n_samples > largest_number ||
      source > trace::heap::external || std::ranges::find(backtrace, 0u) != backtrace.end()) {
    return status::not_encodable;
  }
  std::uint64_t const now = clamped(time);
  std::size_t const prefix = backtraces_.common_prefix(backtrace);
  bool const is_short = length >= 1 && length <= longest_short_allocation &&
                        source == trace::heap::minor && n_samples == 1 &&
                        backtrace.size() - prefix < shortest_long_backtrace;
  if (status const room = make_room(now); room != status::ok) return room;

  header_.end = now;
  id = next_id_++;
  byte_writer out(position_);
  std::byte* count;
  if (is_short) {
    put_event_header(out, now, event_short_allocation + static_cast<std::uint32_t>(length));
    out.vint(static_cast<std::int64_t>(prefix));
    count = out.position();
    out.u8(0);
  } else {
    put_event_header(out, now, event_allocation);
    out.vint(static_cast<std::int64_t>(length));
    out.vint(static_cast<std::int64_t>(n_samples));
    out.u8(static_cast<std::uint8_t>(source));
    out.vint(static_cast<std::int64_t>(prefix));
    count = out.position();
    out.u16(0);
  }
  std::size_t const codewords = backtraces_.encode(out, backtrace, prefix, id, announced_);
  position_ = out.position();
  byte_writer fill_in(count);
  if (is_short) {
    fill_in.u8(static_cast<std::uint8_t>(codewords));
  } else {
    fill_in.u16(static_cast<std::uint16_t>(codewords));
  }
  return status::ok;
}

status stream_encoder::promotion(std::uint64_t time, trace::object_id object) noexcept {
  return id_event(time, event_promotion, object);
}

status stream_encoder::collection(std::uint64_t time, trace::object_id object) noexcept {
  return id_event(time, event_collection, object);
}

status stream_encoder::announce(std::uint64_t time, trace::location_code code) noexcept {
  if (code == 0) return status::not_encodable;
  std::uint64_t const now = clamped(time);
  if (status const room = make_room(now); room != status::ok) return room;
  header_.end = now;
  announced_.add(code);
  return status::ok;
}

status stream_encoder::id_event(std::uint64_t time, std::uint32_t event,
                                trace::object_id object) noexcept {
  // Only where domains end can an object of a later id than the own ones be met.
  bool const own = object < next_id_;
  if (object > largest_number ||
      (!own && (event == event_promotion || !has_domains(header_.version)))) {
    return status::not_encodable;
  }
  std::uint64_t const now = clamped(time);
  if (status const room = make_room(now); room != status::ok) return room;
  header_.end = now;
  byte_writer out(position_);
  put_event_header(out, now, event);
  out.vint(static_cast<std::int64_t>(next_id_) - 1 - static_cast<std::int64_t>(object));
  position_ = out.position();
  return status::ok;
}

}  // namespace memprof::encoding
