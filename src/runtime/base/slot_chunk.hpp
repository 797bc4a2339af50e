// SPDX-License-Identifier: MIT
/// \file
/// The records of packed slots, outside of the memory that the slots are in: of a chunk, which is
/// mapped at once, and of an area, whose chunks are of one size class.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/size_classes.hpp"

namespace memprof::base {

/// The slots of one chunk. Lock-free: a thread first reserves a slot by raising `used`, then takes
/// any free one; a slot is free before `used` is lowered. So whoever has reserved one finds one,
/// and a thread that vanishes in between (in a forked child) costs the chunk a slot, nothing more.
///
/// In memory: slot_chunk, free bits (64 to a word), values (one for each slot).
struct slot_chunk {
  // `used` is a count of slots, or
  static constexpr std::uint32_t not_mapped = ~std::uint32_t{0};  ///< begins so
  static constexpr std::uint32_t changing = not_mapped - 1;       ///< being mapped or given back
  static constexpr std::uint32_t unusable = not_mapped - 2;       ///< others mapped something here
  static_assert(not_mapped != changing && changing != unusable && unusable != not_mapped);

  std::atomic<std::uint32_t> used{not_mapped};
  std::atomic<bool> queued{false};  ///< among the chunks that are kept although they are empty
  bool fresh = false;               ///< of one slot: mapped for the block that is in it
  std::uint16_t number = 0;         ///< in its area
  struct slot_area* area = nullptr;
  std::size_t mapped = 0;  ///< bytes; by whom has made `used` a count

  static constexpr std::size_t words_for(std::uint32_t slots) noexcept { return (slots + 63) / 64; }
  static constexpr std::size_t bytes_for(std::uint32_t slots) noexcept {
    return sizeof(slot_chunk) + words_for(slots) * sizeof(std::uint64_t) +
           (slots + 1) / 2 * 2 * sizeof(std::uint32_t);
  }
  // Zeroed memory is a valid array of zero atomics on every Linux target.
  std::atomic<std::uint64_t>* free_bits() noexcept {
    return reinterpret_cast<std::atomic<std::uint64_t>*>(this + 1);
  }
  std::atomic<std::uint32_t>* values(std::uint32_t slots) noexcept {
    return reinterpret_cast<std::atomic<std::uint32_t>*>(free_bits() + words_for(slots));
  }

  /// Takes a free slot, for a thread that has reserved one.
  std::uint32_t take(std::uint32_t slots) noexcept {
    while (true) {
      for (std::uint32_t word = 0; word < words_for(slots); ++word) {
        auto& bits = free_bits()[word];
        std::uint64_t seen = bits.load(std::memory_order_relaxed);
        while (seen != 0) {
          const std::uint64_t lowest = seen & -seen;
          // Acquire: the last user of the slot is done with it.
          seen = bits.fetch_and(~lowest, std::memory_order_acquire);
          if ((seen & lowest) != 0) {
            return word * 64 + static_cast<std::uint32_t>(std::countr_zero(lowest));
          }
        }
      }
    }
  }
  /// All slots are free.
  void fill(std::uint32_t slots) noexcept {
    for (std::uint32_t word = 0; word < words_for(slots); ++word) {
      const std::uint32_t here = slots - word * 64;
      free_bits()[word].store(here >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << here) - 1,
                              std::memory_order_relaxed);
    }
  }
  void put(std::uint32_t slot) noexcept {
    free_bits()[slot / 64].fetch_or(std::uint64_t{1} << slot % 64, std::memory_order_release);
  }
};

/// 64 MiB of addresses, or a run of several times as much for one large block.
struct slot_area {
  static constexpr std::uint32_t most_chunks = 1024;

  std::uintptr_t begin = 0;
  std::uint32_t size_class = 0;
  std::uint32_t slot_size_inverse = 0;  ///< ceil(2^32 / slot size), of slots that share a chunk
  std::size_t slot_size = 0;
  std::size_t chunk_size = 0;
  std::uint32_t slots = 0;  ///< of a chunk
  std::uint32_t chunks = 0;
  slot_area* next = nullptr;  ///< of the class
  /// Bit i: chunk i may have a free slot.
  std::atomic<std::uint64_t> open[most_chunks / 64]{};
  // Followed by `chunks` pointers, null until the chunk is first used.

  std::atomic<slot_chunk*>* table() noexcept {
    return reinterpret_cast<std::atomic<slot_chunk*>*>(this + 1);
  }
  [[nodiscard]] char* memory(std::uint32_t chunk) const noexcept {
    return reinterpret_cast<char*>(begin + chunk * chunk_size);
  }
  [[nodiscard]] bool is_run() const noexcept { return size_class >= size_classes::slot_classes; }
  void mark_open(std::uint32_t chunk) noexcept {
    open[chunk / 64].fetch_or(std::uint64_t{1} << chunk % 64, std::memory_order_seq_cst);
  }
  void mark_full(std::uint32_t chunk) noexcept {
    open[chunk / 64].fetch_and(~(std::uint64_t{1} << chunk % 64), std::memory_order_seq_cst);
  }
};

}  // namespace memprof::base
