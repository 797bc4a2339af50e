// SPDX-License-Identifier: MIT
/// \file
/// The common part of the explicit sources: count, decide, obtain, track.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/engine.hpp"
#include "limits/limits.hpp"

namespace memprof::sources {

/// The words that a block of `size` bytes counts for: `block_words` for sizes beyond `bytes`.
constexpr std::int64_t words_of(std::size_t size) noexcept {
  return static_cast<std::int64_t>((size >> 3) + (size % 8 != 0 ? 2 : 1));
}

/// Tracks a sampled block under its address. Without memory for that it is dropped and counted.
/// \param frame of the function by which the program entered memprof (engine::new_block::frame).
inline void track_at(void const* block, std::size_t size, engine::event const& e,
                     engine::source from, void const* frame) noexcept {
  const std::uint32_t index = engine::track({.address = const_cast<void*>(block),
                                             .raw = nullptr,
                                             .slot = 0,
                                             .from = from,
                                             .size = size,
                                             .counted_words = words_of(size),
                                             .n_samples = e.n_samples(),
                                             .frame = frame});
  if (index != 0 && engine::insert_address(block, index)) return;
  if (index != 0) engine::untrack(index, block);
  engine::drop_block();
}

/// Ends tracking of the block at this address, if it was sampled.
inline void untrack_at(void const* block) noexcept {
  if (const std::uint32_t index = engine::take_address(block)) engine::untrack(index, block);
}

/// Counts a block of `size` bytes and obtains it from `upstream(size)`, which does not count
/// again. A delivery point. Throws limit_exceeded, and what upstream throws.
/// \param frame of the function by which the program entered memprof.
template <class Upstream>
void* allocate(std::size_t size, void const* frame, Upstream&& upstream) {
  const std::int64_t words = words_of(size);
  engine::current.countdown -= words;
  if (engine::current.countdown >= 0) [[likely]] {
    struct counting {
      ~counting() {
        if (words > 0) engine::withdraw_unsampled(words);
      }
      std::int64_t words;
    } counted{words};
    const engine::muted_section muted;
    void* const block = upstream(size);
    counted.words = 0;
    return block;
  }
  if (engine::is_muted(frame, words)) [[unlikely]]
    return upstream(size);
  const engine::event e{words};
  detail::admission admitted{e, detail::admission_point::delivery, frame};
  void* block = upstream(size);
  if (e.n_samples() > 0) track_at(block, size, e, engine::source::resource, frame);
  admitted.grant();
  return block;
}

}  // namespace memprof::sources
