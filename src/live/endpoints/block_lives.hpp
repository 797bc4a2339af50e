// SPDX-License-Identifier: MIT
/// \file
/// The lives of sampled blocks while the program runs, as the page of /debug/memprof/ draws them.
///
/// Blocks that live are in a table. Those that were freed are kept while somebody looks, in a ring
/// that overwrites the oldest. Threads of the program write both inside malloc and free, without a
/// lock; whoever asks copies them.
///
/// Both are bounded. When three quarters of the table are taken, half of all samples go, as often
/// as needed, and with them the blocks that have none left (page_columns::thinned_samples): what is
/// kept is then that of a lower rate, and as unbiased. The allocations that follow look through the
/// table, 64 places each. What was thinned stays so.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/base.hpp"

namespace memprof::endpoints {

/// A block that was allocated. `samples` are all that it has.
struct block_birth {
  std::uint64_t words = 1;  ///< counted: with a header
  std::uint64_t samples = 1;
  std::uint64_t stack = 0;  ///< in 50 bits
  std::uint8_t heap = 0;    ///< 0 minor, 1 major, 2 external
};

/// Times are microseconds of the caller's clock; -1: it did not happen.
///
///  - `id`: a number for each block, in the order of allocations but for those at the same time.
///  - `samples`: what is left of them.
///  - `between`: of a freed block: samples of the thread that allocated it from its allocation,
///    itself not counted, to its free, before any went.
struct block_life {
  std::uint64_t id = 0;
  std::uint64_t words = 1;
  std::uint64_t samples = 1;
  std::uint64_t between = 0;
  std::uint64_t stack = 0;
  std::uint8_t heap = 0;
  std::int64_t born = 0, promoted = -1, freed = -1;
};

/// Blocks by their ids.
///
///  - `halvings`: how often half of all samples went.
/// freed_since blocks that were freed later than this are all here, and none that were before.
///  - `lost`: samples that found no room at all.
struct lives_snapshot {
  std::vector<block_life> lives;
  unsigned halvings = 0;
  std::int64_t freed_since = 0;
  std::uint64_t lost = 0;
};

///  - `id`: 0: the block is not kept.
struct kept_life {
  std::uint64_t id = 0;
  std::uint32_t slot = 0;
};

class block_lives {
 public:
  static constexpr std::uint32_t usual_live = 1U << 18;   // 17 MB
  static constexpr std::uint32_t usual_freed = 1U << 17;  // 9 MB

  /// \param most_live,most_freed powers of two, at least 4.
  constexpr explicit block_lives(std::uint32_t most_live = usual_live,
                                 std::uint32_t most_freed = usual_freed) noexcept
      : most_live_(most_live), most_freed_(most_freed) {}
  block_lives(block_lives const&) = delete;
  block_lives& operator=(block_lives const&) = delete;

  /// Of the program's threads, inside malloc and free; for one block one after another.
  kept_life begin(block_birth const& b, std::int64_t now) noexcept;
  void promote(kept_life life, std::int64_t now) noexcept;
  void end(kept_life life, std::int64_t now) noexcept;

  /// Keeps what is freed from now until `until`. One thread at a time.
  /// \return false if there is no memory for that.
  bool watch(std::int64_t now, std::int64_t until) noexcept;

  /// What was there at the time `now`, and was freed since the watch began.
  [[nodiscard]] lives_snapshot snapshot(std::int64_t now);

  /// Differs when blocks came or went. Promotions alone do not change it.
  [[nodiscard]] std::uint64_t changes() const noexcept {
    return ids_.load(std::memory_order_relaxed) * 2 - live_.load(std::memory_order_relaxed);
  }

 private:
  using counter = std::atomic<std::uint64_t>;

  /// What a table and a ring have of a block. Written by one thread at a time; read by any, which
  /// looks at the number beside it before and after.
  ///
  ///  - `where`: | stack: 50 | thread: 12 | heap: 2 |
  ///  - `before`: samples of its thread when it was allocated, with its own
  struct block_record {
    counter words, samples, where, before;
    std::atomic<std::int64_t> born, promoted;
  };
  struct live_slot {
    counter id;  ///< 0: none; with `claimed`: its block is being promoted or freed
    block_record block;
  };
  struct freed_slot {
    counter turn;  ///< 0: none yet; `busy`: being written
    counter id;
    block_record block;  // with what was between in place of `before`
    std::atomic<std::int64_t> freed;
  };
  static constexpr std::uint64_t busy = ~std::uint64_t{0};
  static constexpr std::uint64_t claimed = std::uint64_t{1} << 63;
  static constexpr std::uint32_t swept_at_once = 64;
  static constexpr unsigned heap_bits = 2, thread_bits = 12;
  static constexpr std::size_t thread_counters = std::size_t{1} << thread_bits;
  static constexpr auto relaxed = std::memory_order_relaxed;
  static constexpr auto acquire = std::memory_order_acquire;
  /// Of fields: a reader that sees a new one sees that the number beside it has changed, too.
  static constexpr auto release = std::memory_order_release;

  static void copy(block_record const& from, block_record& to) noexcept;
  static block_life life_of(block_record const& r) noexcept;
  static std::size_t thread_of(block_record const& r) noexcept {
    return r.where.load(relaxed) >> heap_bits & (thread_counters - 1);
  }

  [[nodiscard]] unsigned halvings() const noexcept {
    return static_cast<unsigned>(sweep_.load(acquire) >> 32);
  }
  /// Of this block alone from now on. False: its samples went.
  bool claim(kept_life life) noexcept;
  void drop(std::uint32_t slot) noexcept;
  void make_room() noexcept;
  void keep_freed(live_slot const& s, std::int64_t now) noexcept;
  void add_live(lives_snapshot& to, std::int64_t now);
  void add_freed(lives_snapshot& to, std::int64_t now) const;

  std::uint32_t most_live_, most_freed_;
  counter ids_{0}, live_{0}, lost_{0}, freed_{0};
  /// | halvings: 32 | the next slot to be looked at for them: 32 |
  counter sweep_{1};
  std::atomic<std::int64_t> watched_until_{std::numeric_limits<std::int64_t>::min()};
  std::atomic<std::int64_t> freed_since_{std::numeric_limits<std::int64_t>::min()};
  base::index_pool<live_slot> slots_;
  std::atomic<freed_slot*> ring_{nullptr};
  /// Samples of each thread; threads beyond share counters.
  std::array<counter, thread_counters> of_thread_{};
};

}  // namespace memprof::endpoints
