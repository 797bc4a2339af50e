// SPDX-License-Identifier: MIT
/// \file
/// Records as a program pushes them, given to `live_blocks`.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "recorder/live_blocks.hpp"
#include "relay/relay.hpp"

namespace memprof::test {

inline void take(recorder::live_blocks& l, std::vector<std::uint64_t> const& words) {
  relay::popped_record r;
  if (relay::popped_record::read(words, r)) l.take(r);
}

template <std::size_t N>
void take(recorder::live_blocks& l, relay::record_head const& head,
          std::array<std::uint64_t, N> const& body, std::vector<std::uint64_t> const& more = {}) {
  const auto first = relay::record(head, body, more.size());
  std::vector<std::uint64_t> words(first.begin(), first.end());
  words.insert(words.end(), more.begin(), more.end());
  take(l, words);
}

inline void begin(recorder::live_blocks& l, double rate, char const* program = "/bin/program") {
  const relay::text_words text(program);
  take<2>(l, {.kind = relay::record_kind::begin, .of = text.bytes(), .time = 1000},
          {std::bit_cast<std::uint64_t>(rate), 7}, {text.words().begin(), text.words().end()});
}

inline void announce(recorder::live_blocks& l, std::uint64_t at, char const* path) {
  const relay::text_words text(path);
  take<5>(l, {.kind = relay::record_kind::module, .of = text.bytes()}, {at, at + 0x1000, at, 0, 0},
          {text.words().begin(), text.words().end()});
}

/// Of two samples.
inline void allocate(recorder::live_blocks& l, std::uint32_t tag, std::uint64_t length,
                     std::uint64_t time, std::vector<std::uint64_t> const& frames) {
  take<3>(l, {.kind = relay::record_kind::allocation, .of = tag, .time = time}, {length, 2, 1},
          frames);
}

inline void free(recorder::live_blocks& l, std::uint32_t tag) {
  take<0>(l, {.kind = relay::record_kind::collection, .of = tag}, {});
}

inline void begin_exit(recorder::live_blocks& l) {
  take<0>(l, {.kind = relay::record_kind::exit_began, .time = 3000}, {});
}

}  // namespace memprof::test
