// SPDX-License-Identifier: MIT
/// \file
/// How late an interrupt is raised after its limit was hit, in words that the task allocates where
/// an interrupt can be raised. (Where none can be raised, only a ceiling acts on a task.)
///
///     // Four threads that share a budget are surely stopped after:
///     auto latest = memprof::certain_interruption(1_GiB, 1e-9) + memprof::late_notice(4);
///
/// constexpr; std::domain_error for negative arguments and for amounts that do not fit in 63 bits.
/// \see docs/statistical.md (22), (23).
#pragma once

#include <cstdint>
#include <limits>

#include "memprof/detail/bounds_arguments.hpp"
#include "memprof/detail/delivery_schedule.hpp"
#include "memprof/units.hpp"

namespace memprof::inline v0 {

/// Words that `threads` threads under one budget may still allocate in all after one of them has
/// hit its limit: the other threads - 1 check every 1000 words. For the global limit, a token or a
/// deadline see `late_polls`.
///
/// It counts what is granted in small blocks: a block that would exceed the 1000 is refused.
/// \param threads at least 1.
constexpr words late_notice(std::int64_t threads) {
  if (threads < 1) detail::statistics::refuse("late_notice", "there is less than one thread");
  if (threads - 1 > std::numeric_limits<std::int64_t>::max() / detail::poll_interval) {
    detail::statistics::refuse("late_notice", "the amount would not fit 63 bits");
  }
  return words{(threads - 1) * detail::poll_interval};
}

/// The same where every thread may notice late: the global limit, tokens, deadlines.
constexpr words late_polls(std::int64_t threads) {
  return late_notice(threads) + words{detail::poll_interval};
}

/// Words from a refusal to the next attempt: 16 x 2^(n-1) after the n-th refusal in a row, from the
/// tenth on 8192 or, under a deep stack, 64 for each frame that was walked.
///
/// \param refusals in a row, the last one included; at least 1.
/// \param frames of the stack up to the limit function.
/// \return a task that can be interrupted again is interrupted after at most so many words.
constexpr words retry_distance(std::int64_t refusals, std::int64_t frames = 0) {
  if (refusals < 1) detail::statistics::refuse("retry_distance", "there is less than one refusal");
  if (frames < 0 || frames > std::int64_t{1} << 50) {
    detail::statistics::refuse("retry_distance", "the number of frames is out of range");
  }
  return words{detail::backoff_words(refusals - 1, frames)};
}

/// Least number of words over which so many refusals in a row are spread: the sum of
/// `retry_distance`.
constexpr words deferral_span(std::int64_t refusals, std::int64_t frames = 0) {
  if (refusals < 0) detail::statistics::refuse_negative("deferral_span", "count", refusals);
  std::int64_t sum = 0;
  for (std::int64_t i = 1; i <= refusals && i <= detail::longest_backoff_doublings; ++i) {
    sum += retry_distance(i, frames).count();
  }
  const std::int64_t rest = refusals - detail::longest_backoff_doublings;
  if (rest > 0) {
    const std::int64_t longest = retry_distance(refusals, frames).count();
    if (rest > (std::numeric_limits<std::int64_t>::max() - sum) / longest) {
      detail::statistics::refuse("deferral_span", "the amount would not fit 63 bits");
    }
    sum += rest * longest;
  }
  return words{sum};
}

/// For a task that swallows every interrupt, and can always be interrupted: the most words it
/// allocates from the first interrupt to the (deliveries + 1)-th. A grace after the first, a tenth
/// of it after the second, nothing after the others.
///
/// \param grace `limits::grace`, 10 kw by default.
constexpr words swallowing_span(std::int64_t deliveries, words grace = words{10'000}) {
  detail::statistics::check_not_negative("swallowing_span", "grace", grace);
  if (deliveries < 0) detail::statistics::refuse_negative("swallowing_span", "count", deliveries);
  std::int64_t sum = 0;
  for (std::int64_t i = 1; i <= (deliveries < 2 ? deliveries : 2); ++i) {
    const std::int64_t next = detail::grace_after(i, grace.count());
    if (next > std::numeric_limits<std::int64_t>::max() - sum) {
      detail::statistics::refuse("swallowing_span", "the amount would not fit 63 bits");
    }
    sum += next;
  }
  return words{sum};
}

}  // namespace memprof::inline v0
