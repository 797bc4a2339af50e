// SPDX-License-Identifier: MIT
/// \file
/// What was found out about a return address: how to step out of its frame, and what an interrupt
/// does there. Both are pure functions of the code and tables at that address, as long as its
/// module stays loaded.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "callstack/callstack.hpp"
#include "delivery/decide/frame_verdict.hpp"

namespace memprof::delivery {

/// Packed into two words, which stay in registers on the way from the cache to their use.
class pc_facts {
 public:
  constexpr pc_facts() noexcept : pc_facts({}, frame_verdict::no_tables) {}
  constexpr pc_facts(callstack::step_rule const& r, frame_verdict v) noexcept
      : offsets_(std::uint64_t{static_cast<std::uint32_t>(r.cfa_offset)} << 32 |
                 static_cast<std::uint32_t>(r.fp_offset)),
        kinds_(std::uint64_t{static_cast<std::uint8_t>(r.cfa)} |
               std::uint64_t{static_cast<std::uint8_t>(r.fp)} << 8 |
               std::uint64_t{r.outermost} << 16 |
               std::uint64_t{static_cast<std::uint8_t>(v)} << 24) {}
  constexpr pc_facts(std::uint64_t offsets, std::uint64_t kinds) noexcept
      : offsets_(offsets), kinds_(kinds) {}

  [[nodiscard]] constexpr callstack::step_rule step() const noexcept {
    return {.cfa_offset = static_cast<std::int32_t>(offsets_ >> 32),
            .fp_offset = static_cast<std::int32_t>(offsets_),
            .cfa = static_cast<callstack::cfa_from>(kinds_ & 0xff),
            .fp = static_cast<callstack::fp_in>(kinds_ >> 8 & 0xff),
            .outermost = (kinds_ >> 16 & 0xff) != 0};
  }
  [[nodiscard]] constexpr frame_verdict verdict() const noexcept {
    return static_cast<frame_verdict>(kinds_ >> 24 & 0xff);
  }
  [[nodiscard]] constexpr std::uint64_t offsets() const noexcept { return offsets_; }
  [[nodiscard]] constexpr std::uint64_t kinds() const noexcept { return kinds_; }

 private:
  std::uint64_t offsets_;  ///< | cfa_offset: 32 | fp_offset: 32 |
  std::uint64_t kinds_;    ///< | verdict: 8 | outermost: 8 | fp: 8 | cfa: 8 |
};

/// A fixed table, shared by all threads, lock-free: a reader that meets a writer misses, a writer
/// that meets another gives up. 2-way set associative, 8192 entries of 40 bytes.
///
/// An entry is stored with the epoch in which it was made, and is good in that epoch only; epoch 0
/// is good for ever (code of a module that is never unloaded).
class pc_cache {
 public:
  /// True and `facts`, if `pc` is known for ever or in the epoch that `epoch()` gives. That is
  /// called at most once, and only if an entry is found that needs it.
  template <class Epoch>
  bool find(std::uintptr_t pc, Epoch&& epoch, pc_facts& facts) const noexcept {
    for (entry const& e : set_of(pc)) {
      const std::uint32_t before = e.sequence.load(std::memory_order_acquire);
      if (e.pc.load(std::memory_order_acquire) != pc || before % 2 != 0) continue;
      // Acquire, each: if one reads what a writer is just storing, the sequence has moved below.
      const std::uint64_t offsets = e.offsets.load(std::memory_order_acquire);
      const std::uint64_t kinds = e.kinds.load(std::memory_order_acquire);
      const std::uint64_t made_in = e.epoch.load(std::memory_order_acquire);
      if (e.sequence.load(std::memory_order_relaxed) != before) continue;
      if (made_in != 0 && made_in != epoch()) continue;
      facts = pc_facts{offsets, kinds};
      return true;
    }
    return false;
  }

  void store(std::uintptr_t pc, std::uint64_t epoch, pc_facts const& facts) noexcept {
    auto& candidates = set_of(pc);
    // The place of the same pc if it is there, else the one that was written less often.
    entry* e = candidates.data();
    for (entry& candidate : candidates) {
      if (candidate.pc.load(std::memory_order_relaxed) == pc) e = &candidate;
    }
    if (e->pc.load(std::memory_order_relaxed) != pc &&
        candidates[1].sequence.load(std::memory_order_relaxed) <
            candidates[0].sequence.load(std::memory_order_relaxed)) {
      e = &candidates[1];
    }
    std::uint32_t sequence = e->sequence.load(std::memory_order_relaxed);
    if (sequence % 2 != 0 ||
        !e->sequence.compare_exchange_strong(sequence, sequence + 1, std::memory_order_acquire)) {
      return;
    }
    e->pc.store(pc, std::memory_order_release);
    e->offsets.store(facts.offsets(), std::memory_order_release);
    e->kinds.store(facts.kinds(), std::memory_order_release);
    e->epoch.store(epoch, std::memory_order_release);
    e->sequence.store(sequence + 2, std::memory_order_release);
  }

  /// Makes every entry one that is good in no epoch.
  void clear() noexcept {
    for (auto& candidates : sets_) {
      for (entry& e : candidates) {
        // Not as a writer: a reader that is at it takes the old facts, which are still true.
        e.epoch.store(~std::uint64_t{0}, std::memory_order_relaxed);
      }
    }
  }

 private:
  struct entry {
    std::atomic<std::uint32_t> sequence{0};  ///< odd: being written
    std::atomic<std::uintptr_t> pc{0};
    std::atomic<std::uint64_t> offsets{0};
    std::atomic<std::uint64_t> kinds{0};
    std::atomic<std::uint64_t> epoch{0};
  };
  static constexpr unsigned set_bits = 12;
  using set = std::array<entry, 2>;

  // Fibonacci hashing: the upper bits of a product with 2^64 / golden ratio.
  static constexpr std::size_t hash(std::uintptr_t pc) noexcept {
    return (pc * 0x9e3779b97f4a7c15u) >> (64 - set_bits);
  }
  [[nodiscard]] set& set_of(std::uintptr_t pc) noexcept { return sets_[hash(pc)]; }
  [[nodiscard]] set const& set_of(std::uintptr_t pc) const noexcept { return sets_[hash(pc)]; }

  std::array<set, std::size_t{1} << set_bits> sets_{};
};

}  // namespace memprof::delivery
