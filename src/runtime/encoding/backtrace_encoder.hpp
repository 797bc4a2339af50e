// SPDX-License-Identifier: MIT
/// \file
/// Compressed backtraces: the part shared with the one before, and a cache of entries in which each
/// predicts the entry that came next the last time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "memprof/detail/export.hpp"
#include "memprof/trace/event.hpp"

#include "encoding/byte_writer.hpp"
#include "encoding/format.hpp"
#include "encoding/packet_header.hpp"

namespace memprof::encoding {

/// Codes that a packet announces: a packet ends when it has more than 128, and the last backtrace
/// may add one for each 10 bytes of its budget.
class code_log {
 public:
  static constexpr std::size_t flush_above = 128;
  static constexpr std::size_t backtrace_budget = 4096;
  static constexpr std::size_t capacity = flush_above + backtrace_budget / 10 + 1;

  void add(trace::location_code code) noexcept {
    if (size_ < capacity) codes_[size_++] = code;
  }
  void clear() noexcept { size_ = 0; }
  [[nodiscard]] std::span<trace::location_code const> codes() const noexcept {
    return {codes_.data(), size_};
  }

 private:
  std::size_t size_ = 0;
  std::array<trace::location_code, capacity> codes_{};
};

class backtrace_encoder {
 public:
  /// Where the last backtrace is kept, at least as long as the longest one. Of a longer one the
  /// outermost entries are kept, which costs bytes in the trace and nothing else. What was kept
  /// before goes along.
  MEMPROF_INTERNAL_API void remember_in(std::span<trace::location_code> memory) noexcept;
  [[nodiscard]] std::size_t remembers() const noexcept { return memory_.size(); }

  /// Leading entries (outermost first) that `backtrace` shares with the last one.
  [[nodiscard]] std::size_t common_prefix(
      std::span<trace::location_code const> backtrace) const noexcept;

  /// Codewords for the entries after `prefix`, at most `code_log::backtrace_budget` bytes; what
  /// does not fit is left out. Codes that the reader may not know are logged.
  ///
  /// \param id of the allocation: shows which bucket was used longest ago.
  /// \return the number of codewords.
  std::size_t encode(byte_writer& out, std::span<trace::location_code const> backtrace,
                     std::size_t prefix, trace::object_id id, code_log& announced) noexcept;

  /// A bucket for the reader to compare, another one each time.
  cache_check next_check() noexcept;

 private:
  void remember(std::span<trace::location_code const> backtrace, std::size_t prefix) noexcept;

  std::array<trace::location_code, bucket_count> codes_{};
  std::array<std::uint64_t, bucket_count> dates_{};  ///< the allocation that used it last
  std::array<std::uint16_t, bucket_count> predicted_{};
  std::size_t checked_ = 4242;
  std::span<trace::location_code> memory_;
  std::size_t last_size_ = 0;
};

}  // namespace memprof::encoding
