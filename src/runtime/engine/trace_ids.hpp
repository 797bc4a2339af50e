// SPDX-License-Identifier: MIT
/// \file
/// What memprof::label keeps under the key `trace_id`: the id of the request that a thread or task
/// works for. Ids are many and short-lived, so they are no label sets, which are few and kept for
/// ever: an id has a slot while its label lives.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/base.hpp"
#include "engine/labels.hpp"

namespace memprof::engine {

/// A `label_set` with its id, as threads and tasks pass them on:
///
///   | generation: 10 | slot: 12 | label set: 10 |
///
/// 0x0000'0003: set 3, no id.   0x0040'0803: set 3, and the first id in slot 2.
/// A slot that has been used again since has another generation: then there is no id. (The 512th
/// use after is taken for the first. A number so old is left only where labels end in the wrong
/// order.)
inline constexpr label_set label_set_bits = 10;
inline constexpr label_set trace_slot_bits = 12;
static_assert(most_label_sets == (1u << label_set_bits) - 1);

/// More labels of this key at a time are left out.
inline constexpr std::uint32_t most_trace_ids = (1u << trace_slot_bits) - 1;
/// With its name, an exemplar of OpenMetrics has 128 characters.
inline constexpr std::string_view trace_id_key = "trace_id";
inline constexpr std::size_t longest_trace_id = base::versioned_text::longest;
static_assert(trace_id_key.size() + longest_trace_id == 128);

[[nodiscard]] constexpr label_set without_trace_id(label_set s) noexcept {
  return s & most_label_sets;
}
/// The id alone; 0: there is none.
[[nodiscard]] constexpr label_set trace_part(label_set s) noexcept { return s & ~most_label_sets; }

/// `around` with another id; `around` itself if it is too long or there is no room (counted).
/// \note Threads: any, lock-free; allocates nothing.
[[nodiscard]] label_set add_trace_id(label_set around, std::string_view id) noexcept;

/// Whether the id of `set` is that of `outer`, or was made inside it.
[[nodiscard]] bool trace_id_is_within(label_set set, label_set outer) noexcept;

/// Ends the id of `set` and those around it, up to that of `outer`. No more than once each.
void end_trace_ids(label_set set, label_set outer) noexcept;

/// Empty or nullopt: there is none, or it has ended.
[[nodiscard]] std::optional<base::versioned_text::contents> trace_id_of(label_set set) noexcept;

}  // namespace memprof::engine
