// SPDX-License-Identifier: MIT
#include "callstack/rule_cache.hpp"

namespace memprof::callstack {
namespace {

// | module: 32 | cfa_register: 8 | signal: 1 | outermost: 1 | fp: 8 | cfa: 8 | 1: 2 (so that it is
// neither 0 nor 1) |
constexpr std::uint64_t kinds_of(rare_rules::rule const& r) noexcept {
  return std::uint64_t{r.module} << 32 | std::uint64_t{r.step.cfa_register} << 20 |
         std::uint64_t{r.signal} << 19 | std::uint64_t{r.step.outermost} << 18 |
         std::uint64_t{static_cast<std::uint8_t>(r.step.fp)} << 10 |
         std::uint64_t{static_cast<std::uint8_t>(r.step.cfa)} << 2 | 2;
}

constexpr std::uint64_t offsets_of(step_rule const& r) noexcept {
  return std::uint64_t{static_cast<std::uint32_t>(r.cfa_offset)} << 32 |
         static_cast<std::uint32_t>(r.fp_offset);
}

constexpr std::uint64_t being_filled = 1;
constexpr std::uint32_t most_probes = 64;

}  // namespace

std::uint32_t rare_rules::number_of(rule const& r) noexcept {
  const std::uint64_t kinds = kinds_of(r);
  const std::uint64_t offsets = offsets_of(r.step);
  const std::uint64_t mixed = (kinds * 0x9e3779b97f4a7c15u ^ offsets) * 0xff51afd7ed558ccdu;
  auto number = static_cast<std::uint32_t>(mixed >> 48);
  for (std::uint32_t probe = 0; probe < most_probes; ++probe, number = (number + 1) % size) {
    if (number == 0) continue;
    entry& p = entries_[number];
    std::uint64_t there = p.kinds.load(std::memory_order_acquire);
    if (there == 0 &&
        p.kinds.compare_exchange_strong(there, being_filled, std::memory_order_acquire)) {
      p.offsets.store(offsets, std::memory_order_relaxed);
      p.kinds.store(kinds, std::memory_order_release);
      return number;
    }
    // One that another thread is filling is passed over: that thread may never finish it, after a
    // fork.
    if (there == kinds && p.offsets.load(std::memory_order_relaxed) == offsets) return number;
  }
  return 0;
}

rare_rules::rule rare_rules::at(std::uint32_t number) const noexcept {
  entry const& p = entries_[number];
  const std::uint64_t kinds = p.kinds.load(std::memory_order_acquire);
  const std::uint64_t offsets = p.offsets.load(std::memory_order_relaxed);
  return {.step = {.cfa_offset = static_cast<std::int32_t>(offsets >> 32),
                   .fp_offset = static_cast<std::int32_t>(offsets),
                   .cfa = static_cast<cfa_from>(kinds >> 2 & 0xff),
                   .fp = static_cast<fp_in>(kinds >> 10 & 0xff),
                   .outermost = (kinds >> 18 & 1) != 0,
                   .cfa_register = static_cast<std::uint8_t>(kinds >> 20 & 0xff)},
          .signal = (kinds >> 19 & 1) != 0,
          .module = static_cast<modules::module_number>(kinds >> 32)};
}

}  // namespace memprof::callstack
