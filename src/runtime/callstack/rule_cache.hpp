// SPDX-License-Identifier: MIT
/// \file
/// The rule of each return address that a walk has met, in eight bytes.
///
/// A pure function of the module's tables: good for ever in modules that are never unloaded, else
/// as long as the same module lies there.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "callstack/step_rule.hpp"
#include "modules/modules.hpp"

namespace memprof::callstack {

/// What to do at a return address.
enum class step_kind : std::uint8_t {
  unknown,  ///< not in the cache
  by_sp,    ///< CFA = sp + 8 n, the frame pointer is untouched
  save_fp,  ///< CFA = sp + 8 n, the frame pointer is saved at CFA - 8 k
  by_fp,    ///< CFA = fp + 16, the frame pointer is saved at CFA - 16: a chain of frame pointers
  signal,   ///< the kernel's frame of a signal handler
  no_code,  ///< there are no tables for it
  other     ///< the rule with the number n among the rare ones
};

/// A kind with its numbers, packed into 29 bits.
class packed_step {
 public:
  constexpr packed_step() noexcept = default;
  // NOLINTNEXTLINE(google-explicit-constructor): most kinds have no number
  constexpr packed_step(step_kind kind, std::uint32_t n = 0, std::uint32_t k = 0) noexcept
      : bits_(static_cast<std::uint32_t>(kind) | k << 3 | n << 8) {}
  /// The bits beyond the 29 may be anything.
  static constexpr packed_step of_bits(std::uint32_t bits) noexcept {
    packed_step s;
    s.bits_ = bits;
    return s;
  }

  [[nodiscard]] constexpr step_kind kind() const noexcept {
    return static_cast<step_kind>(bits_ & 7);
  }
  [[nodiscard]] constexpr std::uint32_t n() const noexcept { return bits_ >> 8 & most_n; }
  [[nodiscard]] constexpr std::uint32_t k() const noexcept { return bits_ >> 3 & 31; }
  [[nodiscard]] constexpr std::uint32_t bits() const noexcept { return bits_; }

  static constexpr std::uint32_t most_n = (1u << 21) - 1;
  static constexpr std::uint32_t most_k = 31;

 private:
  std::uint32_t bits_ = 0;
};

/// Packs a rule whose module stays; kind `unknown` if it does not fit.
constexpr packed_step pack(step_rule const& rule) noexcept {
  if (!rule.understood() || rule.outermost || !detail::return_address_below_cfa) return {};
  const bool fp_at_cfa = rule.fp == fp_in::at_cfa && rule.fp_offset < 0 && rule.fp_offset % 8 == 0;
  if (rule.cfa == cfa_from::fp && rule.cfa_offset == 16 && fp_at_cfa && rule.fp_offset == -16) {
    return {step_kind::by_fp};
  }
  if (rule.cfa != cfa_from::sp || rule.cfa_offset < 8 || rule.cfa_offset % 8 != 0) return {};
  const auto n = static_cast<std::uint32_t>(rule.cfa_offset / 8);
  if (n > packed_step::most_n) return {};
  if (rule.fp == fp_in::fp) return {step_kind::by_sp, n};
  const std::int32_t k = -(rule.fp_offset / 8);
  if (!fp_at_cfa || k > static_cast<std::int32_t>(packed_step::most_k)) return {};
  return {step_kind::save_fp, n, static_cast<std::uint32_t>(k)};
}

/// A fixed table, shared by all threads. An entry is one word, so that a reader needs no lock and
/// cannot meet half of one. 4-way set associative, 32768 entries, 256 KiB, touched as used.
class rule_cache {
 public:
  /// Kind `unknown` if `pc`, below 2^48, is not there.
  [[nodiscard]] packed_step find(std::uintptr_t pc) const noexcept {
    const std::uint64_t h = scramble(pc);
    for (auto const& entry : sets_[set_number(h)]) {
      // The rare rule that it names was stored before it.
      const std::uint64_t word = entry.load(std::memory_order_acquire);
      // A free entry is kind `unknown` of tag 0: the entries behind it are free, too.
      if ((word ^ h) >> step_bits == 0) [[likely]] {
        return packed_step::of_bits(static_cast<std::uint32_t>(word));
      }
    }
    return {};
  }

  void store(std::uintptr_t pc, packed_step step) noexcept {
    if (pc >> pc_bits != 0) return;
    const std::uint64_t h = scramble(pc);
    auto& set = sets_[set_number(h)];
    auto* victim = &set[(h >> step_bits ^ victims_.load(std::memory_order_relaxed)) % set.size()];
    for (auto& entry : set) {
      const std::uint64_t there = entry.load(std::memory_order_relaxed);
      if (there == 0 || (there ^ h) >> step_bits == 0) {
        victim = &entry;
        break;
      }
    }
    victims_.fetch_add(1, std::memory_order_relaxed);
    victim->store((h & ~step_mask) | (step.bits() & step_mask), std::memory_order_release);
  }

 private:
  // word = | tag: 35 | step: 29 |
  static constexpr unsigned pc_bits = 48;
  static constexpr unsigned set_bits = 13;
  static constexpr unsigned step_bits = 64 - (pc_bits - set_bits);
  static constexpr std::uint64_t step_mask = (std::uint64_t{1} << step_bits) - 1;

  /// | tag: 35 | set: 13 | 0: 16 |. One to one on 48 bits: set and tag together are the whole
  /// address. Larger addresses are never stored, and must not be looked up.
  static constexpr std::uint64_t scramble(std::uintptr_t pc) noexcept {
    return pc * (std::uint64_t{0x9e3779b97f4b} << (64 - pc_bits));
  }
  static constexpr std::size_t set_number(std::uint64_t h) noexcept {
    return h >> (64 - pc_bits) & ((std::size_t{1} << set_bits) - 1);
  }
  std::array<std::array<std::atomic<std::uint64_t>, 4>, std::size_t{1} << set_bits> sets_{};
  std::atomic<std::uint32_t> victims_{0};
};

/// The cache of all walks.
extern constinit rule_cache known_rules;

/// The rules that do not fit into an entry of the cache, and those of modules that may be unloaded;
/// each different one once. Insert-only, lock-free.
class rare_rules {
 public:
  struct rule {
    step_rule step;
    bool signal = false;
    modules::module_number module = 0;  ///< that it is a rule of; 0: for ever
  };

  /// Its number, not 0; 0 if the table is full.
  std::uint32_t number_of(rule const& r) noexcept;
  [[nodiscard]] rule at(std::uint32_t number) const noexcept;

 private:
  struct entry {
    std::atomic<std::uint64_t> kinds{0};  ///< 0: free; 1: being filled
    std::atomic<std::uint64_t> offsets{0};
  };
  static constexpr std::uint32_t size = 1u << 16;
  std::array<entry, size> entries_{};
};

}  // namespace memprof::callstack
