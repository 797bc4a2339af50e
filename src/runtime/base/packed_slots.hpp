// SPDX-License-Identifier: MIT
/// \file
/// `packed_slots`: blocks of memory packed by size in a range of addresses of their own, so that
/// the upper bits of an address show whether it may be one of them.
///
///     range, 4 TiB:   | area | area | area | ...              an area has slots of one class
///     area, 64 MiB:   | chunk | chunk | ...   | anchor: 64 KiB |
///     chunk:          | slot | slot | slot | ...              mapped at once, when first used
///
/// A chunk is 64 KiB, or one slot if that is larger. Nothing is reserved, only mapped on demand and
/// never over a mapping of others: they keep their addresses, and are found not to be ours. The
/// anchor is a page without access that stays mapped. It keeps several copies of the library, each
/// with a `packed_slots` of its own over the same range, out of each other's areas.
///
/// What is known of a slot lies in tables elsewhere (slot_chunk.hpp), so a write past the end of a
/// block may damage a neighbour, never these.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "memprof/detail/export.hpp"

#include "base/kept_chunks.hpp"
#include "base/size_classes.hpp"
#include "base/slot_chunk.hpp"

namespace memprof::base {

/// Where the slots of a range are. Zero-initialised and apart, so that it takes no room in the
/// file.
struct packed_table {
  static constexpr std::size_t areas_in_range = std::size_t{1} << 16;

  std::atomic<slot_area*> areas[areas_in_range]{};
  struct {
    std::atomic<slot_area*> areas{nullptr};   ///< all, the latest first
    std::atomic<slot_area*> recent{nullptr};  ///< where a slot was found or freed
  } classes[size_classes::count]{};
  kept_chunks kept;
  std::atomic<std::size_t> next_area{0};
  std::atomic<bool> unavailable{false};
  std::atomic<bool> runs_stay{false};  ///< `move` no longer moves to runs
  std::atomic<bool> emptied{false};    ///< a chunk, since empty ones were last unmapped
  /// The free rest of a block of memory for areas and chunks, which are never given back.
  std::atomic<char*> records{nullptr};
};

/// \note Threads: all members, from any thread. Lock-free: a signal handler may free in the middle
///   of anything, and a forked child finds it whole, but for a few slots that other threads were
///   taking.
class packed_slots {
 public:
  static constexpr unsigned range_bits = 42;
  static constexpr std::size_t range_size = std::size_t{1} << range_bits;
  static constexpr std::size_t small_chunk = std::size_t{64} << 10;
  /// From here on glibc maps blocks by themselves and moves them (mallopt(3), M_MMAP_THRESHOLD).
  static constexpr std::size_t least_moved = std::size_t{128} << 10;

  /// \param begin a multiple of range_size.
  constexpr packed_slots(packed_table& table, std::uintptr_t begin) noexcept
      : table_(table), begin_(begin) {}

  /// A slot.
  struct found {
    std::atomic<std::uint32_t>* entry = nullptr;  ///< the caller's number for it, 0 at first
    bool ours = false;  ///< the address is in a chunk that this object alone has slots in
    std::uint32_t slot = 0;
    slot_chunk* chunk = nullptr;

    /// Nobody else has a block at this address: its chunk is mapped here. (If it is not, the kernel
    /// may have given its addresses to the next allocator, once all others were taken.)
    [[nodiscard]] bool surely_ours() const noexcept {
      return ours && chunk->used.load(std::memory_order_relaxed) <= chunk->area->slots;
    }
  };
  struct place {
    void* address = nullptr;  ///< null: there is no memory
    bool zeroed = false;      ///< fresh from the kernel
    found slot;
  };
  /// What the slots take now, those of other threads' latest changes perhaps not.
  struct usage {
    std::size_t blocks = 0;  ///< slots whose entry is not 0
    std::size_t in_use = 0;  ///< bytes of these slots
    std::size_t mapped = 0;  ///< bytes
  };
  /// Cost: looks at every entry.
  [[nodiscard]] MEMPROF_INTERNAL_API usage count_usage() const noexcept;

  /// A slot for a block of `size` bytes. The caller sets its entry to a number.
  MEMPROF_INTERNAL_API place acquire(unsigned size_class, std::size_t size) noexcept;

  /// True once no part of the range could be mapped although there is memory: it is taken, or there
  /// are no such addresses.
  [[nodiscard]] bool unavailable() const noexcept {
    return table_.unavailable.load(std::memory_order_relaxed);
  }

  /// The slot that begins at an address; without `entry` if there is none. Cost: some loads, and
  /// for slots of up to 64 KiB a multiplication.
  [[nodiscard]] MEMPROF_INTERNAL_API found find(void const* address) const noexcept;

  /// The entry of a slot of up to 64 KiB that the caller has: a third of what `find` costs.
  [[nodiscard]] std::atomic<std::uint32_t>& entry_of(void const* address) const noexcept {
    const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address) - begin_;
    slot_area& area =
        *table_.areas[offset / size_classes::area_size].load(std::memory_order_acquire);
    const std::size_t number = offset % size_classes::area_size / small_chunk;
    const std::uint64_t in_chunk = offset % small_chunk;
    slot_chunk& chunk = *area.table()[number].load(std::memory_order_acquire);
    return chunk.values(area.slots)[in_chunk * area.slot_size_inverse >> 32];
  }

  /// Bytes of a slot that was found.
  [[nodiscard]] static std::size_t capacity(found const& slot) noexcept {
    slot_area const& area = *slot.chunk->area;
    return area.is_run() ? slot.chunk->mapped : area.slot_size;
  }
  [[nodiscard]] static unsigned class_of(found const& slot) noexcept {
    return slot.chunk->area->size_class;
  }

  /// Gives back a slot that was found; the caller has set its entry to 0.
  MEMPROF_INTERNAL_API void release(found const& slot) noexcept;

  enum class move_result {
    moved,    ///< `from` has no memory any more: to be given back by release_unmapped
    refused,  ///< the contents are where they were, and `to` can be used
    lost,     ///< the contents are where they were, `to` has no memory: for release_unmapped
  };
  /// Moves the contents of one slot to another by their pages, as mremap does, so that they are
  /// neither read nor touched. Both are in use by the caller, and `moves(from, to)`.
  MEMPROF_INTERNAL_API move_result move(found const& from, found const& to) noexcept;
  /// Whether `move` is cheaper than a copy. Not for small ones; nor if there was a block in `to`
  /// before, whose pages would be given up for those of `from`.
  [[nodiscard]] static bool moves(found const& from, found const& to) noexcept {
    return from.chunk->mapped >= least_moved && to.chunk->mapped >= from.chunk->mapped &&
           to.chunk->fresh;
  }
  /// The same as `release`, for a slot that has no memory any more.
  MEMPROF_INTERNAL_API void release_unmapped(found const& slot) noexcept;

 private:
  enum class outcome { found, full, no_memory };
  place acquire_mapped(unsigned size_class, std::size_t size) noexcept;
  /// When the kernel refuses memory: unmaps all chunks that are empty. True if there were any.
  bool unmap_empty() noexcept;
  outcome acquire_in(slot_area& area, std::size_t size, place& p) noexcept;
  static outcome reserve(slot_area& area, slot_chunk& chunk, std::size_t room,
                         bool& fresh) noexcept;
  slot_chunk* chunk_at(slot_area& area, std::uint32_t number) noexcept;
  void note_recent(slot_area& area) noexcept;
  slot_area* claim(unsigned size_class) noexcept;
  /// Takes areas that nobody has, for an area or a run.
  bool enter(std::size_t first, std::size_t run) noexcept;
  void leave(std::size_t first, std::size_t run) noexcept;
  slot_area* new_area(unsigned size_class, std::uintptr_t begin) noexcept;
  void* new_record(std::size_t size) noexcept;
  static void give_back(slot_chunk& chunk) noexcept;
  static bool unmap(slot_chunk& chunk) noexcept;

  packed_table& table_;
  std::uintptr_t begin_;
};

}  // namespace memprof::base
