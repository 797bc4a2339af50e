// SPDX-License-Identifier: MIT
/// \file
/// What the answers to requests cost.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>

namespace memprof::endpoints {

enum class answer_kind : std::uint8_t { metrics, profile, page, other };
inline constexpr std::array all_answer_kinds{answer_kind::metrics, answer_kind::profile,
                                             answer_kind::page, answer_kind::other};
[[nodiscard]] std::string_view to_string(answer_kind kind) noexcept;

/// All that were given so far.
struct answer_work {
  std::uint64_t answers = 0;
  std::chrono::nanoseconds processor_time{};  ///< of the threads that asked
};
[[nodiscard]] answer_work work_of(answer_kind kind) noexcept;

[[nodiscard]] std::chrono::nanoseconds processor_time_of_thread() noexcept;

/// Counts an answer, from construction to destruction, on one thread.
class counted_answer {
 public:
  explicit counted_answer(answer_kind kind) noexcept;
  ~counted_answer();
  counted_answer(counted_answer const&) = delete;
  counted_answer& operator=(counted_answer const&) = delete;

 private:
  answer_kind kind_;
  std::chrono::nanoseconds begin_;
};

}  // namespace memprof::endpoints
