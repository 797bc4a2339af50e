// SPDX-License-Identifier: MIT
#include "engine/trace_ids.hpp"

#include <array>
#include <atomic>
#include <bit>

namespace memprof::engine {
namespace {

/// The number beside the text is the id around it, as `trace_part`. A slot's text is replaced by
/// its owner, the label, alone: when it begins and when it ends.
constinit std::array<base::versioned_text, most_trace_ids + 1> trace_slots{};
/// A bit for each slot: it has an owner. Slot 0 is none.
constinit std::array<std::atomic<std::uint64_t>, trace_slots.size() / 64> taken_slots{1};

/// 0: there is none left. Lock-free.
std::uint32_t take_slot() noexcept {
  for (std::uint32_t w = 0; w < taken_slots.size(); ++w) {
    std::uint64_t taken = taken_slots[w].load(std::memory_order_relaxed);
    while (taken != ~std::uint64_t{0}) {
      const int bit = std::countr_one(taken);
      taken = taken_slots[w].fetch_or(std::uint64_t{1} << bit, std::memory_order_acquire);
      if ((taken >> bit & 1) == 0) return w * 64 + static_cast<std::uint32_t>(bit);
    }
  }
  return 0;
}

void return_slot(std::uint32_t slot) noexcept {
  taken_slots[slot / 64].fetch_and(~(std::uint64_t{1} << slot % 64), std::memory_order_release);
}

constexpr std::uint32_t generations = 1u << (32 - label_set_bits - trace_slot_bits);

std::uint32_t slot_of(label_set s) noexcept { return s >> label_set_bits & most_trace_ids; }

label_set packed(std::uint32_t slot, std::uint32_t version) noexcept {
  return (version / 2 % generations) << (label_set_bits + trace_slot_bits) | slot << label_set_bits;
}

/// Of an id that has ended, nothing.
std::optional<base::versioned_text::contents> contents_of(label_set trace) noexcept {
  const std::uint32_t slot = slot_of(trace);
  if (slot == 0) return std::nullopt;
  const auto found = trace_slots[slot].read();
  if (!found || packed(slot, found->version) != trace_part(trace)) return std::nullopt;
  return found;
}

}  // namespace

label_set add_trace_id(label_set around, std::string_view id) noexcept {
  if (id.size() <= longest_trace_id) {
    const std::uint32_t slot = take_slot();
    // Its owner's alone, so it can be replaced.
    if (slot != 0) {
      return packed(slot, trace_slots[slot].replace(id, trace_part(around))) |
             without_trace_id(around);
    }
  }
  count_label_left_out();
  return around;
}

bool trace_id_is_within(label_set set, label_set outer) noexcept {
  label_set at = trace_part(set);
  // Bounded, should numbers of ended ids lead in a circle.
  for (std::uint32_t i = 0; at != trace_part(outer) && i <= most_trace_ids; ++i) {
    const auto here = contents_of(at);
    if (!here) return false;
    at = static_cast<label_set>(here->number);
  }
  return at == trace_part(outer);
}

void end_trace_ids(label_set set, label_set outer) noexcept {
  label_set at = trace_part(set);
  while (at != trace_part(outer)) {
    const auto here = contents_of(at);
    if (!here) return;
    const std::uint32_t slot = slot_of(at);
    if (trace_slots[slot].replace({}, 0) == 0) return;
    return_slot(slot);
    at = static_cast<label_set>(here->number);
  }
}

std::optional<base::versioned_text::contents> trace_id_of(label_set set) noexcept {
  return contents_of(set);
}

}  // namespace memprof::engine
