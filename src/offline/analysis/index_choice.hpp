// SPDX-License-Identifier: MIT
/// \file
/// The sampled blocks of a trace_index that a selection chooses, and when each is there.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/selection.hpp"
#include "analysis/trace_index.hpp"

namespace memprof::analysis {

/// One bit for each of a known number of things.
class bit_set {
 public:
  explicit bit_set(std::size_t size = 0) : words_((size + 63) / 64) {}
  void set(std::size_t i) noexcept { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  [[nodiscard]] bool operator[](std::size_t i) const noexcept {
    return (words_[i / 64] >> (i % 64) & 1) != 0;
  }
  [[nodiscard]] std::size_t count() const noexcept {
    std::size_t n = 0;
    for (const std::uint64_t w : words_) n += static_cast<std::size_t>(std::popcount(w));
    return n;
  }
  /// f(i) for each that is set, in order.
  template <class F>
  void for_each(F&& f) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (std::uint64_t left = words_[w]; left != 0; left &= left - 1) {
        f(w * 64 + static_cast<std::size_t>(std::countr_zero(left)));
      }
    }
  }

 private:
  std::vector<std::uint64_t> words_;
};

/// When a block is in the chosen heaps, as `selection` means it.
///
/// to          if `ends`; else it is there when the trace ends.
/// *_event     the numbers of the events.
struct live_interval {
  std::int64_t from = 0, to = 0;
  std::uint32_t from_event = 0, to_event = object_columns::no_event;
  bool there = false;  ///< ever
  bool ends = false;
};
[[nodiscard]] live_interval live_interval_of(object_columns const& o, std::size_t object,
                                             heap_set heaps) noexcept;

/// codes       seen as naming_of(s, ...) says: what it hides is hidden, its patterns are marks.
/// everything  no block is left out.
struct index_choice {
  selection chosen;
  code_table codes;
  bit_set objects;
  std::uint64_t count = 0;
  bool everything = false;
};

/// hide_allocation_functions, inlines     of the codes.
/// throws      std::invalid_argument for more than 64 patterns.
/// cost        some 10 ns for each block and node of the tree of stacks.
[[nodiscard]] index_choice choose(trace_index const& index, selection const& s,
                                  bool hide_allocation_functions = false, bool inlines = true);

/// f(object, live_interval) for each that is chosen.
template <class F>
void for_each_live_interval(trace_index const& index, index_choice const& choice, F&& f) {
  choice.objects.for_each(
      [&](std::size_t i) { f(i, live_interval_of(index.objects(), i, choice.chosen.heaps)); });
}

}  // namespace memprof::analysis
