// SPDX-License-Identifier: MIT
/// \file
/// The records that cross, as words.
///
///     word 0      | of: 32 | detail: 8 | kind: 8 | words: 16 |       words of the whole record
///     word 1      time, microseconds since 1970
///     allocation  of: tag   detail: heap    length, n_samples, thread, frames (innermost first)
///     promotion   of: tag
///     collection  of: tag; the tag may be used again
///     interrupt   of: thread   detail: limit   allowed, measured, deferrals, frames
///     module      of: bytes of its path   begin, end, bias, build id (2 words of text), path
///     thread      of: its number   the kernel's id, name (2 words of text)
///     exit_began  main has returned, or exit was called
///     begin       of: bytes of the program's path   detail: 1 if sampled blocks are guarded
///                 sampling rate (double), seed, path
///     fault       of: bytes of its text   the first line of a report of a guarded block
///
/// A module comes before the first stack that has code of it, and again if another one lay there
/// meanwhile. A thread comes before its first allocation, and again when its name has changed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "relay/ring.hpp"

namespace memprof::relay {

enum class record_kind : std::uint8_t {
  begin = 1,
  module,
  allocation,
  promotion,
  collection,
  interrupt,
  exit_began,
  thread,
  fault
};

/// What is behind word 1 and before frames or a path.
inline constexpr std::size_t allocation_words = 3;
inline constexpr std::size_t interrupt_words = 3;
inline constexpr std::size_t module_words = 5;
inline constexpr std::size_t begin_words = 2;
inline constexpr std::size_t thread_words = 3;

struct record_head {
  record_kind kind{};
  std::uint8_t detail = 0;
  std::uint32_t of = 0;
  std::uint64_t time = 0;
};

inline constexpr std::size_t head_words = 2;

/// A head and N words, for `ring::push`; `more` words follow.
template <std::size_t N>
constexpr std::array<std::uint64_t, head_words + N> record(record_head const& head,
                                                           std::array<std::uint64_t, N> const& body,
                                                           std::size_t more) noexcept {
  std::array<std::uint64_t, head_words + N> words{};
  words[0] = std::uint64_t{head.of} << 32 | std::uint64_t{head.detail} << 24 |
             std::uint64_t{static_cast<std::uint8_t>(head.kind)} << 16 | (head_words + N + more);
  words[1] = head.time;
  for (std::size_t i = 0; i < N; ++i) words[head_words + i] = body[i];
  return words;
}

/// A record that was popped: its head, and what follows.
struct popped_record {
  record_head head;
  std::span<std::uint64_t const> body;

  /// False: it is too short for its kind.
  static bool read(std::span<std::uint64_t const> words, popped_record& r) noexcept {
    if (words.size() < head_words) return false;
    r.head = {.kind = static_cast<record_kind>(words[0] >> 16 & 0xff),
              .detail = static_cast<std::uint8_t>(words[0] >> 24),
              .of = static_cast<std::uint32_t>(words[0] >> 32),
              .time = words[1]};
    r.body = words.subspan(head_words);
    std::size_t least = 0;
    if (r.head.kind == record_kind::allocation) least = allocation_words;
    if (r.head.kind == record_kind::interrupt) least = interrupt_words;
    if (r.head.kind == record_kind::module) least = module_words;
    if (r.head.kind == record_kind::begin) least = begin_words;
    if (r.head.kind == record_kind::thread) least = thread_words;
    return r.body.size() >= least;
  }

  /// The text of `of` bytes behind the first `words` of the body; empty if it is not all there.
  [[nodiscard]] std::string_view text(std::size_t words) const noexcept {
    const auto rest = body.subspan(words);
    if (head.of > rest.size_bytes()) return {};
    return {reinterpret_cast<char const*>(rest.data()), head.of};
  }
};

/// A text as words, padded with zeros.
class text_words {
 public:
  static constexpr std::size_t longest = 4096;

  explicit text_words(std::string_view text) noexcept
      : size_(text.size() < longest ? text.size() : longest) {
    std::memcpy(words_.data(), text.data(), size_);
  }
  [[nodiscard]] std::uint32_t bytes() const noexcept { return static_cast<std::uint32_t>(size_); }
  [[nodiscard]] std::span<std::uint64_t const> words() const noexcept {
    return std::span(words_).first((size_ + 7) / 8);
  }

 private:
  std::size_t size_;
  std::array<std::uint64_t, longest / 8> words_{};
};

}  // namespace memprof::relay
