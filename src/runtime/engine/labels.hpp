// SPDX-License-Identifier: MIT
/// \file
/// Label sets: what memprof::label attaches to the blocks of a thread or task.
///
/// A set is a label and the set around it. Each different one has a number and is kept for the rest
/// of the process, so a block, a task and a thread only hold numbers.
#pragma once

#include <cstdint>
#include <string_view>

namespace memprof::engine {

/// 0: no labels.
using label_set = std::uint32_t;

/// Beyond these a label is left out.
inline constexpr std::uint32_t most_label_sets = 1023;
/// Longer keys and values are cut.
inline constexpr std::size_t longest_label_key = 40;
inline constexpr std::size_t longest_label_value = 200;

/// `outer` with one label more; `outer` itself if there is no room (counted).
/// \note Threads: any, lock-free; allocates nothing.
label_set add_label(label_set outer, std::string_view key, std::string_view value) noexcept;

/// The innermost label of a set, and the set around it. Valid as long as the process lives.
struct label_view {
  std::string_view key;
  std::string_view value;
  label_set outer = 0;
};
/// \param set not 0.
[[nodiscard]] label_view label_of(label_set set) noexcept;

/// Whether `set` is `outer`, or has it around it.
[[nodiscard]] bool is_within(label_set set, label_set outer) noexcept;

void count_label_left_out() noexcept;
/// How many labels were left out.
[[nodiscard]] std::uint64_t labels_left_out() noexcept;

/// The labels of this thread now: those of the task that it runs. With its trace id, if there is
/// one: trace_ids.hpp.
extern constinit thread_local label_set current_labels;

}  // namespace memprof::engine
