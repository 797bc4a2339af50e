// SPDX-License-Identifier: MIT
/// \file
/// `guarded_slots`: blocks in pages of their own, with nothing mapped around them, so that an
/// access beside a block, or to one that was freed, is a fault.
///
///     region, 128 GiB: | class 0 | class 1 | ... | class 8 | anchor |
///     class k:         | slot | slot | ...                   2^15 slots of 8 KiB << k
///     slot:            | nothing mapped   | . . . |+++block| a page, or several for a large block
///                      begin                  pages        end
///
/// A block ends at its slot's end, but for what its alignment asks. The guard behind it is the
/// first half of the next slot, where nothing is ever mapped. The region lies at the upper end of
/// the range of sampled blocks, the areas of packed_slots.hpp at the lower one; nothing is
/// reserved but the anchor, which keeps other copies of the library out.
///
/// Memory is bounded: at most `most_live` blocks are there at once, each of one mapping. (Linux
/// allows a process 65530 by default.) A slot that is freed is unmapped, so what waits in
/// quarantine takes neither memory nor a mapping.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "memprof/detail/export.hpp"

namespace memprof::base {

/// What is known of a slot's block: the one that is there, or the last one that was.
struct guarded_record {
  /// `index` is the caller's number for a block in use, or
  static constexpr std::uint32_t none = 0;
  static constexpr std::uint32_t changing = ~std::uint32_t{0};  ///< a thread has it for itself

  std::atomic<std::uint32_t> index{none};
  std::uint32_t freed_at = 0;  ///< which free of its class it was
  std::uint32_t size = 0;      ///< bytes that were asked for
  std::uint32_t offset = 0;    ///< from the slot's begin to the block; 0: never used
  std::uint8_t form = 0;       ///< the caller's: how it was allocated
  struct {
    std::uint32_t stack = 0;
    std::uint32_t thread = 0;
  } allocated, freed;  ///< the caller's. Without thread: it was not
};

/// Zero-initialised.
struct guarded_table {
  static constexpr unsigned classes = 9;
  std::atomic<std::uintptr_t> region{0};
  std::atomic<guarded_record*> records{nullptr};
  std::atomic<std::uint32_t> live{0};
  struct {
    std::atomic<std::uint32_t> next{0};   ///< where to look for a slot
    std::atomic<std::uint32_t> freed{0};  ///< how often a slot was
  } of_class[classes]{};
};

/// \note Threads: all members, from any thread. Lock-free: a signal handler may free in the middle
///   of anything; a forked child loses at most the slots that other threads were changing.
class guarded_slots {
 public:
  static constexpr std::size_t largest = std::size_t{1} << 20;  ///< bytes of a block
  static constexpr std::uint32_t most_live = 1u << 14;
  /// A slot is not used again before that many others of its class were freed.
  static constexpr std::uint32_t quarantine = 1u << 13;
  static constexpr std::size_t region_size = std::size_t{1} << 37;

  /// \param begin,size the range; a multiple of region_size.
  constexpr guarded_slots(guarded_table& table, std::uintptr_t begin, std::size_t size) noexcept
      : table_(table), begin_(begin), size_(size) {}

  enum class opened { now, before, no_memory, unavailable };
  /// Before the first `acquire`; any number of times. `now` for one of the callers.
  MEMPROF_INTERNAL_API opened open() noexcept;

  struct slot {
    guarded_record* record = nullptr;
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    unsigned size_class = 0;
    [[nodiscard]] std::uintptr_t block() const noexcept { return begin + record->offset; }
    [[nodiscard]] std::uintptr_t block_end() const noexcept { return block() + record->size; }
  };
  /// A block of zeros whose record has its size and place, and is `changing` until the caller gives
  /// it an index. Without record: there is none to be had.
  MEMPROF_INTERNAL_API slot acquire(std::size_t size, std::size_t alignment) noexcept;

  /// The slot that an address is in, guards included; without record: not in the region.
  [[nodiscard]] MEMPROF_INTERNAL_API slot slot_at(std::uintptr_t address) const noexcept;
  /// The slot before it; without record: there is none of the class.
  [[nodiscard]] MEMPROF_INTERNAL_API slot before(slot const& s) const noexcept;
  /// Where the pages of its block begin, and how they end at the slot's end.
  [[nodiscard]] MEMPROF_INTERNAL_API static std::uintptr_t pages_of(slot const& s) noexcept;

  /// Unmaps the pages of a slot that the caller has made `changing`.
  MEMPROF_INTERNAL_API static void unmap(slot const& s) noexcept;
  /// Ends it: the slot is in quarantine.
  MEMPROF_INTERNAL_API void release(slot const& s) noexcept;

 private:
  static constexpr unsigned slot_bits = 15;
  static constexpr std::uint32_t slots = 1u << slot_bits;
  static constexpr unsigned first_class_bits = slot_bits + 13;  // of 8 KiB

  [[nodiscard]] slot slot_of(unsigned c, std::uint32_t number) const noexcept;
  bool try_slot(slot& s, std::size_t size, std::uintptr_t offset) noexcept;

  guarded_table& table_;
  std::uintptr_t begin_;
  std::size_t size_;
};

}  // namespace memprof::base
