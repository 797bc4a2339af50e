// SPDX-License-Identifier: MIT
#include "memprof/label.hpp"

#include <algorithm>

#include "copies/copies.hpp"
#include "engine/engine.hpp"

namespace memprof::inline v0 {
namespace detail {
namespace {

[[gnu::noinline]] void leave_other_label(std::uint32_t set, std::uint32_t outer) noexcept {
  if (set == outer) return;  // it was left out
  engine::label_set& now = engine::current_labels;
  const bool has_id = engine::trace_part(set) != engine::trace_part(outer);
  const bool is_here =
      has_id ? engine::trace_id_is_within(now, set)
             : engine::is_within(engine::without_trace_id(now), engine::without_trace_id(set));
  // With it go labels inside that did not end, as their functions were left by longjmp. Where it
  // is none of the labels here, another task's: those stay.
  if (is_here) {
    engine::end_trace_ids(now, outer);
    now = outer;
  } else if (has_id) {
    engine::end_trace_ids(set, outer);
  }
}

}  // namespace

std::uint32_t enter_label(std::string_view key, std::string_view value) noexcept {
  if (auto const* const other = copies::other()) return other->enter_label(key, value);
  engine::label_set& now = engine::current_labels;
  if (key == engine::trace_id_key) [[unlikely]]
    return now = engine::add_trace_id(now, value);
  return now =
             engine::trace_part(now) | engine::add_label(engine::without_trace_id(now), key, value);
}

void leave_label(std::uint32_t set, std::uint32_t outer) noexcept {
  if (auto const* const other = copies::other()) return other->leave_label(set, outer);
  // Nearly always it is the innermost one here, and no id.
  if (engine::current_labels == set && engine::trace_part(set) == engine::trace_part(outer)) {
    engine::current_labels = outer;
  } else {
    leave_other_label(set, outer);
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
  for (engine::label_set s = engine::without_trace_id(set); s != 0;) {
    const engine::label_view l = engine::label_of(s);
    if (std::ranges::find(labels, l.key, &std::pair<std::string, std::string>::first) ==
        labels.end()) {
      labels.emplace_back(l.key, l.value);
    }
    s = l.outer;
  }
  const auto id = engine::trace_id_of(set);
  if (id && id->length > 0) labels.emplace_back(engine::trace_id_key, id->text());
  return labels;
}

std::uint64_t labels_left_out() noexcept {
  if (auto const* const other = copies::other()) return other->labels_left_out();
  return engine::labels_left_out();
}

}  // namespace memprof::inline v0
