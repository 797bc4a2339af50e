// SPDX-License-Identifier: MIT
#include "trace/backtrace_decoder.hpp"

#include <algorithm>
#include <new>

namespace memprof::inline v0::trace {

using encoding::load;

bool backtrace_decoder::is(std::size_t index, std::uint16_t predicted,
                           location_code code) const noexcept {
  if (index >= encoding::bucket_count) return false;
  if (!buckets_) return predicted == 0 && code == 0;
  return buckets_[index].predicted == predicted && buckets_[index].code == code;
}

location_code* backtrace_decoder::make_room(location_code* out) {
  constexpr std::size_t most = backtrace_budget::longest + most_entries;
  auto const used = static_cast<std::size_t>(out - entries_.get());
  std::size_t const wanted = std::min(most, std::max(2 * capacity_, used + 4 * most_entries));
  // The first entries are free, or a domain could be left without any.
  if (wanted > capacity_ && (capacity_ == 0 || budget_.take(wanted - capacity_))) {
    std::unique_ptr<location_code[]> larger(new location_code[wanted]);
    std::copy_n(entries_.get(), used, larger.get());
    entries_ = std::move(larger);
    capacity_ = wanted;
    return entries_.get() + used;
  }
  // From here on entries are written behind the result; the codewords still change the cache.
  cut_ = true;
  return entries_.get() + (capacity_ - most_entries);
}

std::byte const* backtrace_decoder::decode(std::byte const* at, std::byte const* end,
                                           std::uint64_t prefix, std::size_t count) {
  if (!buckets_) {
    buckets_.reset(static_cast<bucket*>(std::calloc(encoding::bucket_count, sizeof(bucket))));
    if (!buckets_) throw std::bad_alloc();
  }
  bool const known = prefix <= size_;
  bucket* const buckets = buckets_.get();
  location_code* out = entries_.get() + (known ? prefix : size_);
  location_code* limit = entries_.get() + capacity_;
  std::size_t state = 0;
  bool nothing = false;
  for (; count > 0 && at <= end; --count) {
    if (static_cast<std::size_t>(limit - out) < most_entries) {
      out = make_room(out);
      limit = entries_.get() + capacity_;
    }
    unsigned const word = load<std::uint16_t>(at);
    at += sizeof(std::uint16_t);
    std::size_t const hit = word >> 2;
    unsigned const tag = word & 3;
    buckets[state].predicted = hit;
    state = hit;
    if (tag == encoding::tag_miss) {
      auto const code = load<location_code>(at);
      at += sizeof code;
      buckets[hit].code = code;
      nothing |= code == 0;
      *out++ = code;
      continue;
    }
    nothing |= buckets[hit].code == 0;
    *out++ = buckets[hit].code;
    unsigned predicted = tag;
    if (tag == encoding::tag_hit_and_many) predicted = load<std::uint8_t>(at++);
    for (; predicted > 0; --predicted) {
      state = buckets[state].predicted;
      location_code const code = buckets[state].code;
      nothing |= code == 0;
      *out++ = code;
    }
  }
  met_nothing_ = nothing;
  if (known && at <= end) {
    // The last 256 entries are never part of the result.
    size_ = std::min(static_cast<std::size_t>(out - entries_.get()),
                     cut_ ? capacity_ - most_entries : capacity_);
  }
  return at;
}

}  // namespace memprof::inline v0::trace
