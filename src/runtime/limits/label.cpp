// SPDX-License-Identifier: MIT
#include "memprof/label.hpp"

#include <algorithm>

#include "copies/copies.hpp"
#include "engine/engine.hpp"

namespace memprof::inline v0 {
namespace detail {

std::uint32_t enter_label(std::string_view key, std::string_view value) noexcept {
  if (auto const* const other = copies::other()) return other->enter_label(key, value);
  return engine::current_labels = engine::add_label(engine::current_labels, key, value);
}

void leave_label(std::uint32_t set, std::uint32_t outer) noexcept {
  if (auto const* const other = copies::other()) return other->leave_label(set, outer);
  // With it go labels inside that did not end, as their functions were left by longjmp. Where it
  // is none of the labels here, another task's: those stay.
  if (set != outer && engine::is_within(engine::current_labels, set)) {
    engine::current_labels = outer;
  }
}

}  // namespace detail

std::uint32_t current_label_set() noexcept {
  if (auto const* const other = copies::other()) return other->current_label_set();
  return engine::current_labels;
}

std::vector<std::pair<std::string, std::string>> labels_of(std::uint32_t set) {
  if (auto const* const other = copies::other()) return other->labels_of(set);
  std::vector<std::pair<std::string, std::string>> labels;
  while (set != 0 && set <= engine::most_label_sets) {
    const engine::label_view l = engine::label_of(set);
    if (std::ranges::find(labels, l.key, &std::pair<std::string, std::string>::first) ==
        labels.end()) {
      labels.emplace_back(l.key, l.value);
    }
    set = l.outer;
  }
  return labels;
}

std::uint64_t labels_left_out() noexcept {
  if (auto const* const other = copies::other()) return other->labels_left_out();
  return engine::labels_left_out();
}

}  // namespace memprof::inline v0
