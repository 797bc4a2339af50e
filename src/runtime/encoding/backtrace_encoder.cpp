// SPDX-License-Identifier: MIT
#include "encoding/backtrace_encoder.hpp"

#include <algorithm>

namespace memprof::encoding {

namespace {

constexpr std::size_t largest_codeword = 10;
constexpr unsigned most_predicted = 255;
constexpr std::size_t check_step = 5413;

/// The two buckets in which a code may be.
std::size_t first_bucket(trace::location_code code) noexcept {
  return code * 0x4983723 >> 11 & (bucket_count - 1);
}
std::size_t second_bucket(trace::location_code code) noexcept {
  return code * 0xfdea731 >> 21 & (bucket_count - 1);
}

void put_codeword(byte_writer& out, std::size_t bucket, unsigned tag) noexcept {
  out.u16(static_cast<std::uint16_t>(bucket << 2 | tag));
}

void put_hit(byte_writer& out, std::size_t bucket, unsigned predicted) noexcept {
  if (predicted < 2) {
    put_codeword(out, bucket, predicted == 0 ? tag_hit : tag_hit_and_one);
  } else {
    put_codeword(out, bucket, tag_hit_and_many);
    out.u8(static_cast<std::uint8_t>(predicted));
  }
}

}  // namespace

void backtrace_encoder::remember_in(std::span<trace::location_code> memory) noexcept {
  last_size_ = std::min(last_size_, memory.size());
  std::copy_n(memory_.begin(), last_size_, memory.begin());
  memory_ = memory;
}

std::size_t backtrace_encoder::common_prefix(
    std::span<trace::location_code const> backtrace) const noexcept {
  auto const last = memory_.first(last_size_);
  auto const [differs, end] = std::ranges::mismatch(backtrace, last);
  return static_cast<std::size_t>(differs - backtrace.begin());
}

void backtrace_encoder::remember(std::span<trace::location_code const> backtrace,
                                 std::size_t prefix) noexcept {
  last_size_ = std::min(backtrace.size(), memory_.size());
  if (prefix < last_size_) {
    std::copy_n(backtrace.begin() + static_cast<std::ptrdiff_t>(prefix), last_size_ - prefix,
                memory_.begin() + static_cast<std::ptrdiff_t>(prefix));
  }
}

std::size_t backtrace_encoder::encode(byte_writer& out,
                                      std::span<trace::location_code const> backtrace,
                                      std::size_t prefix, trace::object_id id,
                                      code_log& announced) noexcept {
  remember(backtrace, prefix);
  std::byte const* const limit = out.position() + code_log::backtrace_budget - largest_codeword;
  std::size_t codewords = 0;
  std::size_t state = 0;  // the bucket before; 0 at the start
  std::size_t next = prefix;
  while (next < backtrace.size() && out.position() <= limit) {
    trace::location_code const code = backtrace[next++];
    std::size_t const first = first_bucket(code);
    std::size_t const second = second_bucket(code);
    bool const in_first = codes_[first] == code;
    ++codewords;
    if (!in_first && codes_[second] != code) {
      announced.add(code);
      std::size_t const bucket = dates_[first] < dates_[second] ? first : second;
      codes_[bucket] = code;
      dates_[bucket] = id;
      predicted_[state] = static_cast<std::uint16_t>(bucket);
      put_codeword(out, bucket, tag_miss);
      out.u64(code);
      state = bucket;
      continue;
    }
    std::size_t const hit = in_first ? first : second;
    dates_[hit] = id;
    predicted_[state] = static_cast<std::uint16_t>(hit);
    state = hit;
    // The bytes of this hit are not counted yet: memtrace counts so, and its bytes are ours.
    std::size_t begun = hit;
    unsigned correct = 0;
    while (next < backtrace.size() && out.position() + 2 <= limit) {
      std::size_t const expected = predicted_[state];
      if (codes_[expected] != backtrace[next]) break;
      ++next;
      if (correct == most_predicted) {
        put_hit(out, begun, correct);
        ++codewords;
        dates_[expected] = id;
        predicted_[state] = static_cast<std::uint16_t>(expected);
        begun = expected;
        correct = 0;
      } else {
        ++correct;
      }
      state = expected;
    }
    put_hit(out, begun, correct);
  }
  return codewords;
}

cache_check backtrace_encoder::next_check() noexcept {
  cache_check const check{static_cast<std::uint16_t>(checked_), predicted_[checked_],
                          codes_[checked_]};
  checked_ = (checked_ + check_step) % bucket_count;
  return check;
}

}  // namespace memprof::encoding
