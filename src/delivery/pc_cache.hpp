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
#include "delivery/frame_verdict.hpp"

namespace memprof::delivery {

struct pc_facts {
  callstack::step_rule step;
  frame_verdict verdict = frame_verdict::no_tables;
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
      facts = unpack(offsets, kinds);
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
    e->offsets.store(pack_offsets(facts.step), std::memory_order_release);
    e->kinds.store(pack_kinds(facts), std::memory_order_release);
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

  static constexpr std::uint64_t pack_offsets(callstack::step_rule const& r) noexcept {
    return std::uint64_t{static_cast<std::uint32_t>(r.cfa_offset)} << 32 |
           static_cast<std::uint32_t>(r.rbp_offset);
  }
  // kinds = | cfa: 8 | rbp: 8 | outermost: 8 | verdict: 8 |, from bit 0 upwards.
  static constexpr std::uint64_t pack_kinds(pc_facts const& f) noexcept {
    return std::uint64_t{static_cast<std::uint8_t>(f.step.cfa)} |
           std::uint64_t{static_cast<std::uint8_t>(f.step.rbp)} << 8 |
           std::uint64_t{f.step.outermost} << 16 |
           std::uint64_t{static_cast<std::uint8_t>(f.verdict)} << 24;
  }
  static constexpr pc_facts unpack(std::uint64_t offsets, std::uint64_t kinds) noexcept {
    return {.step = {.cfa_offset = static_cast<std::int32_t>(offsets >> 32),
                     .rbp_offset = static_cast<std::int32_t>(offsets),
                     .cfa = static_cast<callstack::cfa_from>(kinds & 0xff),
                     .rbp = static_cast<callstack::rbp_in>(kinds >> 8 & 0xff),
                     .outermost = (kinds >> 16 & 0xff) != 0},
            .verdict = static_cast<frame_verdict>(kinds >> 24 & 0xff)};
  }

  std::array<set, std::size_t{1} << set_bits> sets_{};
};

}  // namespace memprof::delivery
