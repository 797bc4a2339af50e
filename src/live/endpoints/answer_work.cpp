// SPDX-License-Identifier: MIT
#include "endpoints/answer_work.hpp"

#include <atomic>
#include <ctime>

namespace memprof::endpoints {
namespace {

struct sums {
  std::atomic<std::uint64_t> answers{0};
  std::atomic<std::int64_t> nanoseconds{0};
};
constinit std::array<sums, all_answer_kinds.size()> all{};

}  // namespace

std::string_view to_string(answer_kind kind) noexcept {
  switch (kind) {
    case answer_kind::metrics:
      return "metrics";
    case answer_kind::profile:
      return "profile";
    case answer_kind::page:
      return "page";
    case answer_kind::other:
      break;
  }
  return "other";
}

answer_work work_of(answer_kind kind) noexcept {
  sums const& s = all[static_cast<std::size_t>(kind)];
  return {
      .answers = s.answers.load(std::memory_order_relaxed),
      .processor_time = std::chrono::nanoseconds{s.nanoseconds.load(std::memory_order_relaxed)}};
}

std::chrono::nanoseconds processor_time_of_thread() noexcept {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
}

counted_answer::counted_answer(answer_kind kind) noexcept
    : kind_(kind), begin_(processor_time_of_thread()) {}

counted_answer::~counted_answer() {
  sums& s = all[static_cast<std::size_t>(kind_)];
  s.answers.fetch_add(1, std::memory_order_relaxed);
  s.nanoseconds.fetch_add((processor_time_of_thread() - begin_).count(), std::memory_order_relaxed);
}

}  // namespace memprof::endpoints
