// SPDX-License-Identifier: MIT
/// \file
/// A ring of records in memory that two processes share: the threads of a recorded program push,
/// the recorder pops.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "relay/read_once.hpp"

namespace memprof::relay {

/// A record is some words; the first says how many (`record.hpp`). It takes slots of 7 words, each
/// behind its stage:
///
///     position p is in slot p % capacity, in lap p / capacity
///     stage    4 * lap + 2: a record begins here, and is complete   4 * lap + 1: its later slots
///              4 * lap + 3: it was popped already, from behind a hole
///
/// A producer claims positions by compare-exchange, writes, and marks the first slot last. If it is
/// killed in between, its slots are a hole, which the consumer skips once it knows that the
/// producer is dead: every slot that does not begin a complete record. The consumer writes `head`
/// alone, so a record costs no cache line that it has to give back.
///
/// A producer that lives may leave a hole for ever (a signal handler that jumps out of it), or for
/// long (its thread is stopped). The consumer that has waited long enough takes what is behind it
/// first, and gives it up only to make room: what is written into it later could spoil a record.
///
/// Zeroed pages are an empty ring.
///
/// \note Threads: push: any of one process or of several, lock-free, signal-safe. pop: one.
class ring {
 public:
  static constexpr std::uint32_t capacity = std::uint32_t{1} << 16;
  static constexpr std::size_t words_in_slot = 7;
  /// Of a record. A quarter of the ring holds it.
  static constexpr std::size_t most_words = 8192;

  /// Appends the record `first` + `rest`, at most `most_words`. False if there is no room.
  bool push(std::span<std::uint64_t const> first, std::span<std::uint64_t const> rest) noexcept {
    const std::uint64_t slots = slots_of(first.size() + rest.size());
    std::uint64_t position = tail_.load(std::memory_order_relaxed);
    do {
      // Acquire, here and of `head_`: the consumer has read what is overwritten now.
      if (position + slots > limit_.load(std::memory_order_acquire)) {
        const std::uint64_t limit = head_.load(std::memory_order_acquire) + capacity;
        if (position + slots > limit) return false;
        limit_.store(limit, std::memory_order_release);
      }
    } while (!tail_.compare_exchange_weak(position, position + slots, std::memory_order_relaxed));
    write(position, first, rest);
    return true;
  }

  /// The next complete record, copied into `into`; empty if there is none. Checks everything that
  /// it reads: the memory is the program's, too.
  ///
  /// \param producers_dead holes are skipped.
  std::span<std::uint64_t const> pop(std::span<std::uint64_t, most_words> into,
                                     bool producers_dead) noexcept {
    std::uint64_t position = read_once(head_);
    const std::uint64_t end = read_once(tail_, std::memory_order_acquire);
    if (end - position > capacity) return {};  // not of our making
    while (position != end) {
      const std::uint64_t stage = read_once(at(position).stage, std::memory_order_acquire);
      if (stage == begin_mark(position)) {
        if (const std::size_t words = words_at(position, end)) {
          read(position, into.first(words));
          head_.store(position + slots_of(words), std::memory_order_release);
          return into.first(words);
        }
      } else if (stage != popped_mark(position) && !producers_dead) {
        break;
      }
      position = behind(position, stage, end);
    }
    head_.store(position, std::memory_order_release);
    return {};
  }

  /// The next complete record from `from` on, although something before it is not complete. It is
  /// not popped again.
  ///
  /// \param from `popped()` at first; behind the record afterwards.
  std::span<std::uint64_t const> pop_behind_hole(std::span<std::uint64_t, most_words> into,
                                                 std::uint64_t& from) noexcept {
    const std::uint64_t end = read_once(tail_, std::memory_order_acquire);
    if (end - read_once(head_) > capacity || end - from > capacity) return {};
    while (from != end) {
      const std::uint64_t position = from;
      const std::uint64_t stage = read_once(at(position).stage, std::memory_order_acquire);
      from = behind(position, stage, end);
      if (stage != begin_mark(position)) continue;
      const std::size_t words = words_at(position, end);
      if (words == 0) continue;
      read(position, into.first(words));
      at(position).stage.store(popped_mark(position), std::memory_order_relaxed);
      return into.first(words);
    }
    return {};
  }

  /// Gives up what is not complete at `popped()`, if something complete is behind it.
  void skip_hole() noexcept {
    const std::uint64_t end = read_once(tail_, std::memory_order_acquire);
    std::uint64_t position = read_once(head_);
    if (end - position > capacity) return;
    for (; position != end; ++position) {
      const std::uint64_t stage = read_once(at(position).stage, std::memory_order_acquire);
      if (stage != begin_mark(position) && stage != popped_mark(position)) continue;
      head_.store(position, std::memory_order_release);
      return;
    }
  }

  /// Slots claimed and slots popped so far.
  [[nodiscard]] std::uint64_t claimed() const noexcept { return read_once(tail_); }
  [[nodiscard]] std::uint64_t popped() const noexcept { return read_once(head_); }
  /// More than half of it is taken.
  [[nodiscard]] bool crowded() const noexcept { return claimed() - popped() > capacity / 2; }

  /// Empty again, for the next process. The slots must be zeroed by then.
  void restart() noexcept {
    tail_.store(0, std::memory_order_relaxed);
    limit_.store(0, std::memory_order_relaxed);
    head_.store(0, std::memory_order_release);
  }

  /// The first word of a record has its size in the lowest 16 bits.
  static constexpr std::size_t size_of(std::uint64_t first_word) noexcept {
    return first_word & 0xffff;
  }
  /// From the ring's begin to the slots, which fill the rest.
  static constexpr std::size_t header_bytes = 4096;

 private:
  struct slot {
    std::atomic<std::uint64_t> stage;
    std::uint64_t words[words_in_slot];
  };
  static_assert(sizeof(slot) == 64);

  static constexpr std::uint64_t slots_of(std::size_t words) noexcept {
    return (words + words_in_slot - 1) / words_in_slot;
  }
  static constexpr std::uint64_t begin_mark(std::uint64_t position) noexcept {
    return position / capacity * 4 + 2;
  }
  static constexpr std::uint64_t popped_mark(std::uint64_t position) noexcept {
    return begin_mark(position) + 1;
  }
  /// Of the record that begins there; 0: what is written there is none.
  std::size_t words_at(std::uint64_t position, std::uint64_t end) noexcept {
    const std::size_t words = size_of(read_once(at(position).words[0]));
    return words <= most_words && slots_of(words) <= end - position ? words : 0;
  }
  /// The position to look at after one with this stage: whole records are passed at once.
  std::uint64_t behind(std::uint64_t position, std::uint64_t stage, std::uint64_t end) noexcept {
    const bool whole = stage == begin_mark(position) || stage == popped_mark(position);
    const std::size_t words = whole ? words_at(position, end) : 0;
    return position + (words == 0 ? 1 : slots_of(words));
  }
  slot& at(std::uint64_t position) noexcept { return slots_[position % capacity]; }

  void write(std::uint64_t position, std::span<std::uint64_t const> first,
             std::span<std::uint64_t const> rest) noexcept {
    std::size_t done = 0;
    const std::size_t words = first.size() + rest.size();
    for (std::uint64_t p = position; done < words; ++p) {
      slot& s = at(p);
      for (std::size_t i = 0; i < words_in_slot && done < words; ++i, ++done) {
        s.words[i] = done < first.size() ? first[done] : rest[done - first.size()];
      }
      if (p != position) s.stage.store(begin_mark(p) - 1, std::memory_order_relaxed);
    }
    // Publishes all of the record to the consumer.
    at(position).stage.store(begin_mark(position), std::memory_order_release);
  }

  void read(std::uint64_t position, std::span<std::uint64_t> into) noexcept {
    for (; !into.empty(); ++position) {
      const std::size_t n = std::min(words_in_slot, into.size());
      for (std::size_t i = 0; i < n; ++i) into[i] = read_once(at(position).words[i]);
      into = into.subspan(n);
    }
  }

  alignas(64) std::atomic<std::uint64_t> tail_{0};  ///< next position to claim
  std::atomic<std::uint64_t> limit_{0};             ///< positions below it are free; may be old
  alignas(64) std::atomic<std::uint64_t> head_{0};  ///< next position to pop
  alignas(header_bytes) std::array<slot, capacity> slots_;
};
static_assert(sizeof(ring) == ring::header_bytes + std::size_t{64} * ring::capacity);

}  // namespace memprof::relay
