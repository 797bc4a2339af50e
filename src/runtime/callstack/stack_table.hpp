// SPDX-License-Identifier: MIT
/// \file
/// Interned stacks: each different stack is kept once and has a number.
///
/// A stack of n frames takes 8 (n + 2) bytes. Sharing the outer frames of stacks in a tree would
/// take about a quarter of that, but need a look-up for each frame of each sample, and leave no
/// span to return.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "memprof/detail/export.hpp"

namespace memprof::callstack {

/// 0: the empty stack.
using stack_id = std::uint32_t;

/// The number of this stack, the same for the same frames. 0 also if there is no memory (counted).
///
/// \param frames beyond `largest_stack` frames the rest is left out.
/// \note Threads: any, lock-free. Stacks are kept for the rest of the process.
MEMPROF_INTERNAL_API stack_id intern(std::span<std::uintptr_t const> frames) noexcept;

/// The frames of a stack, as they were interned. Empty for a number that `intern` did not return.
[[nodiscard]] MEMPROF_INTERNAL_API std::span<std::uintptr_t const> frames_of(stack_id id) noexcept;

/// Sizes of a table.
struct stack_table_size {
  std::uint64_t stacks = 0;
  std::uint64_t bytes = 0;    ///< taken from the kernel for them
  std::uint64_t refused = 0;  ///< not interned: the table was full or there was no memory
};

/// The table behind these functions. Insert-only: buckets of lists, in memory that is mapped 1 MiB
/// at a time; a number is where its stack lies, in words.
class stack_table {
 public:
  static constexpr std::uint32_t chunk_words = 1u << 17;
  /// 4 GiB: some 16 million stacks of 30 frames.
  static constexpr std::uint32_t most_chunks = 1u << 12;

  /// \param chunks the most it may map, in [1, most_chunks].
  constexpr explicit stack_table(std::uint32_t chunks = most_chunks) noexcept : limit_(chunks) {}
  stack_table(stack_table const&) = delete;
  stack_table& operator=(stack_table const&) = delete;

  stack_id intern(std::span<std::uintptr_t const> frames) noexcept;
  [[nodiscard]] std::span<std::uintptr_t const> frames_of(stack_id id) const noexcept;
  [[nodiscard]] stack_table_size size() const noexcept;

 private:
  static constexpr unsigned bucket_bits = 18;
  static constexpr std::uint64_t length_mask = 0xffff;

  /// A stack in the table; its frames follow.
  struct entry {
    std::uint64_t next = 0;  ///< in its bucket; 0: the last
    std::uint64_t hash = 0;  ///< | upper 48 bits of the hash | length: 16 |
  };
  static constexpr std::uint32_t header_words = sizeof(entry) / sizeof(std::uintptr_t);

  [[nodiscard]] std::uintptr_t* words_at(stack_id id) const noexcept;
  [[nodiscard]] entry* entry_at(stack_id id) const noexcept;
  stack_id find(stack_id from, stack_id until, std::uint64_t hash,
                std::span<std::uintptr_t const> frames) const noexcept;
  stack_id take(std::uint32_t words) noexcept;
  bool ensure_chunk(std::uint32_t chunk) noexcept;

  std::uint32_t limit_;
  std::atomic<std::uint32_t> next_word_{1};  // 0 is the empty stack
  std::atomic<std::uint64_t> stacks_{0};
  std::atomic<std::uint64_t> refused_{0};
  std::array<std::atomic<std::uintptr_t*>, most_chunks> chunks_{};
  std::array<std::atomic<stack_id>, std::size_t{1} << bucket_bits> buckets_{};
};

}  // namespace memprof::callstack
