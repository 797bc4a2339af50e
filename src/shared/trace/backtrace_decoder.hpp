// SPDX-License-Identifier: MIT
/// \file
/// The reader's side of encoding/backtrace_encoder.hpp: from codewords back to backtraces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

#include "memprof/trace/event.hpp"

#include "encoding/encoding.hpp"

namespace memprof::inline v0::trace {

/// Memory for backtraces that all domains of a trace share, so that a hostile file cannot ask for
/// more. A codeword of 3 bytes can stand for 256 entries.
class backtrace_budget {
 public:
  /// Of one backtrace. Longer ones are cut: their innermost entries are missing.
  static constexpr std::size_t longest = std::size_t{1} << 20;

  [[nodiscard]] bool take(std::size_t entries) noexcept {
    if (entries > left_) return false;
    left_ -= entries;
    return true;
  }

 private:
  std::size_t left_ = 16 * longest;
};

/// The backtraces of one domain.
class backtrace_decoder {
 public:
  explicit backtrace_decoder(backtrace_budget& budget) noexcept : budget_(budget) {}

  /// Whether bucket `index` of the cache equals this.
  [[nodiscard]] bool is(std::size_t index, std::uint16_t predicted,
                        location_code code) const noexcept;

  /// Reads `count` codewords. Up to `packet_source::slack` bytes behind `end` may be looked at.
  ///
  /// \param prefix leading entries that are as in the backtrace before. If that had fewer (it was
  ///   cut when it was written), it stays as it is.
  /// \return where the codewords end; beyond `end` if they do not end in the packet.
  std::byte const* decode(std::byte const* at, std::byte const* end, std::uint64_t prefix,
                          std::size_t count);

  /// Outermost caller first.
  [[nodiscard]] std::span<location_code const> last() const noexcept {
    return {entries_.get(), size_};
  }
  [[nodiscard]] bool is_odd() const noexcept { return met_nothing_ || cut_; }
  /// Of the last `decode`: used a bucket that was never filled.
  [[nodiscard]] bool met_nothing() const noexcept { return met_nothing_; }
  /// Of any: a backtrace was too long, see `backtrace_budget`.
  [[nodiscard]] bool cut() const noexcept { return cut_; }

 private:
  /// An entry, and the bucket that followed it the last time.
  struct bucket {
    location_code code;
    std::uint64_t predicted;
  };
  struct release {
    void operator()(bucket* memory) const noexcept { std::free(memory); }
  };
  /// What one codeword can stand for.
  static constexpr std::size_t most_entries = 256;

  location_code* make_room(location_code* out);

  backtrace_budget& budget_;
  std::unique_ptr<bucket[], release> buckets_;  ///< zeroed pages: few of them are ever touched
  std::unique_ptr<location_code[]> entries_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  bool met_nothing_ = false;
  bool cut_ = false;
};

}  // namespace memprof::inline v0::trace
