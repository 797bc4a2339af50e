// SPDX-License-Identifier: MIT
/// \file
/// The rows of the live profile: sums of sampled blocks by stack, labels and size.
///
/// Threads of the program find rows and add to them inside malloc and free, without a lock. The
/// number of rows and the memory of their stacks are bounded. Where three quarters are taken, each
/// allocation looks through 64 rows, and those that have no live block and had none since the last
/// time round give their place to others; what they had is summed in rows without a stack, by the
/// order of magnitude of its size. So a program that goes on from stack to stack never lacks room
/// for the stack of a new leak, unless what lives fills the table.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>

#include "base/base.hpp"

namespace memprof::endpoints {

/// A copy of a row.
///
///  - `index`: the row's; another stack may have it later.
///  - `stack`: names the stack of this row, for frames_of, until the row is another one's; in 48
///    bits. 0: none.
///  - `labels`: 0: none.
///  - `words`: of each of its blocks, counted: with a header.
///  - `allocated`: samples in blocks since collecting began.
///  - `in_use`: samples in blocks that are not freed.
struct profile_row {
  std::uint32_t index = 0;
  std::uint64_t stack = 0;
  std::uint32_t labels = 0;
  std::uint64_t words = 1;
  std::uint64_t allocated = 0;
  std::uint64_t in_use = 0;
};

class stack_rows {
 public:
  static constexpr std::size_t most_frames = 128;
  static constexpr unsigned word_bits = 31, label_bits = 10;

  /// \param bits 2^bits places, in [6, 17], of which half are used.
  /// \param most_bytes of stacks.
  constexpr explicit stack_rows(unsigned bits = 17,
                                std::uint64_t most_bytes = std::uint64_t{64} << 20) noexcept
      : bits_(bits), most_bytes_(most_bytes) {}
  stack_rows(stack_rows const&) = delete;
  stack_rows& operator=(stack_rows const&) = delete;

  /// Before any other member. False: there is no memory.
  bool begin() noexcept;

  /// The row that a block is part of.
  struct place {
    std::uint32_t index = 0;
    std::uint64_t stack = 0;  ///< as profile_row
  };
  /// Adds a block; its row stays until `free` was called as often. Lock-free, allocates nothing.
  place allocate(std::span<std::uintptr_t const> frames, std::uint32_t labels, std::uint64_t words,
                 std::uint64_t samples) noexcept;
  void free(std::uint32_t index, std::uint64_t samples) noexcept;

  /// How many rows have a stack; and how many have ever lost it.
  [[nodiscard]] std::uint32_t used() const noexcept { return used_.load(relaxed); }
  [[nodiscard]] std::uint64_t removed() const noexcept { return removed_.load(relaxed); }
  /// How many rows there may be, with those without a stack.
  [[nodiscard]] std::size_t size() const noexcept { return places() + by_size; }
  /// The row without a stack for blocks of this size.
  [[nodiscard]] std::uint32_t rest_of(std::uint64_t words) const noexcept {
    return static_cast<std::uint32_t>(places()) + static_cast<std::uint32_t>(std::bit_width(words));
  }

  /// f(profile_row) for each that has ever had a sample, by index.
  template <class F>
  void for_each(F f) const {
    for (std::uint32_t i = 0; i < size(); ++i) {
      if (const profile_row r = copy_of(i); r.allocated > 0) f(r);
    }
  }

  /// While it lives no row loses its stack. For threads that may wait, and not for long.
  class holding {
   public:
    explicit holding(stack_rows& rows) noexcept;
    ~holding() { rows_.readers_.fetch_sub(1, std::memory_order_release); }
    holding(holding const&) = delete;
    holding& operator=(holding const&) = delete;

   private:
    stack_rows& rows_;
  };
  /// Empty if the row is another one's now. Valid while it is held.
  [[nodiscard]] std::span<std::uintptr_t const> frames_of(std::uint64_t stack) noexcept;

  /// In a child only the thread that forked is there: whoever was looking is not. A place that
  /// another thread was just changing is lost there.
  void forget_others() noexcept {
    readers_.store(0, relaxed);
    sweeping_.store(false, relaxed);
  }

 private:
  static constexpr auto relaxed = std::memory_order_relaxed;
  static constexpr std::size_t longest_search = 64;
  static constexpr std::uint32_t swept_at_once = 64;
  static constexpr std::size_t by_size = 33;  ///< rows without a stack: one for each power of two

  ///  - `hash`: of the stack, the labels and the size; `none` and `was_used`: a free place.
  ///    Published by whoever fills the row.
  ///  - `state`: | changing: 1 | recent: 1 | generation: 30 | live blocks: 32 |. The thread that
  ///    set `changing` owns the row. `recent`: it had a block since it was last looked at. The
  ///    generation counts whose place it was.
  ///  - `what`: | labels: 32 | words: 32 |
  ///  - `stack`: | length: 32 | index in the pool of its length: 32 |
  struct row {
    std::atomic<std::uint64_t> hash, state, what, stack, allocated, freed;
  };
  static constexpr std::uint64_t none = 0, was_used = 1, least_hash = 2;
  static constexpr std::uint64_t changing = std::uint64_t{1} << 63, recent = std::uint64_t{1} << 62;
  static constexpr std::uint64_t live_blocks = ~std::uint32_t{0};
  static constexpr std::uint64_t generations = recent - 1 - live_blocks;

  /// Stacks by length, so that what one leaves fits another.
  template <std::size_t length>
  using pool = base::index_pool<std::array<std::uintptr_t, length>>;
  using pools = std::tuple<pool<8>, pool<16>, pool<32>, pool<64>, pool<128>>;

  [[nodiscard]] std::size_t places() const noexcept { return std::size_t{1} << bits_; }
  [[nodiscard]] profile_row copy_of(std::uint32_t index) const noexcept;
  /// | 0: 16 | generation: 30 | index + 1: 18 |; 0 is none.
  static constexpr unsigned index_bits = 18;
  [[nodiscard]] static std::uint64_t name_of(std::uint32_t index, std::uint64_t state) noexcept {
    return (state & generations) >> (32 - index_bits) | (index + 1);
  }
  template <class F>
  static void with_pool(pools& all, std::size_t length, F f) noexcept;
  [[nodiscard]] std::uintptr_t* frames_at(std::uint64_t stack) noexcept;
  bool keep_frames(row& r, std::span<std::uintptr_t const> frames) noexcept;
  void drop_frames(row& r) noexcept;

  struct wanted;
  bool take_part(row& r, wanted const& w) noexcept;
  bool fill(row& r, wanted const& w) noexcept;
  [[nodiscard]] std::uint32_t find(wanted const& w) noexcept;
  void make_room() noexcept;
  void sweep(std::uint32_t index) noexcept;

  unsigned bits_;
  std::uint64_t most_bytes_;
  std::atomic<row*> rows_{nullptr};
  std::atomic<std::uint32_t> used_{0};
  std::atomic<std::uint64_t> bytes_{0};
  std::atomic<std::uint64_t> removed_{0};
  std::atomic<std::uint32_t> readers_{0};
  std::atomic<bool> sweeping_{false};  ///< one thread at a time, and nobody waits
  std::uint32_t hand_ = 0;             ///< of the thread that sweeps: where to go on
  pools pools_{};
};

}  // namespace memprof::endpoints
