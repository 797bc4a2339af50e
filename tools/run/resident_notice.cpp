// SPDX-License-Identifier: MIT
#include "tools/run/resident_notice.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "tools/run/process_status.hpp"

namespace memprof::tools {
namespace {

constexpr std::chrono::milliseconds notice_every{100};
/// Two close looks take at most a fiftieth of the time.
constexpr int time_between = 100;
constexpr double least_part = 0.25;
constexpr double least_rest = 16 << 20;

double sum_over(std::vector<pid_t> const& processes, std::uint64_t (*bytes_of)(pid_t)) {
  double sum = 0;
  for (const pid_t p : processes) sum += static_cast<double>(bytes_of(p));
  return sum;
}

}  // namespace

bool resident_notice::is_news(amounts const& a) const {
  return a.bytes > std::max(limit_, a.by_malloc + std::max(least_part * limit_, least_rest));
}

std::optional<double> resident_notice::look(clock::time_point now,
                                            std::vector<pid_t> const& processes, double by_malloc) {
  if (said_ || now < next_) return std::nullopt;
  next_ = now + notice_every;
  const std::optional<amounts> before = std::exchange(before_, std::nullopt);
  if (by_malloc >= limit_) return std::nullopt;
  amounts a{.bytes = sum_over(processes, &anonymous_of), .by_malloc = by_malloc};
  if (!is_news(a)) return std::nullopt;
  // What forked processes share is in the sum several times. The kernel goes through all of their
  // pages to find out.
  if (processes.size() > 1) {
    const auto begin = clock::now();
    a.bytes = sum_over(processes, &anonymous_share_of);
    const clock::duration took = clock::now() - begin;
    const bool to_confirm = is_news(a) && !before;  // soon, while it is so
    if (!to_confirm) next_ = std::max<clock::time_point>(next_, now + time_between * took);
    if (!is_news(a)) return std::nullopt;
  }
  before_ = a;
  if (!before) return std::nullopt;
  const amounts sure{.bytes = std::min(a.bytes, before->bytes),
                     .by_malloc = std::max(a.by_malloc, before->by_malloc)};
  if (!is_news(sure)) return std::nullopt;
  said_ = true;
  return a.bytes;
}

}  // namespace memprof::tools
