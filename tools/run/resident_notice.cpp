// SPDX-License-Identifier: MIT
#include "tools/run/resident_notice.hpp"

#include <algorithm>
#include <cstdint>

#include "tools/run/process_status.hpp"

namespace memprof::tools {
namespace {

constexpr std::chrono::milliseconds notice_every{100};
constexpr std::chrono::seconds look_closely_every{1};
constexpr double least_part = 0.25;
constexpr double least_rest = 16 << 20;

double sum_over(std::vector<pid_t> const& processes, std::uint64_t (*bytes_of)(pid_t)) {
  double sum = 0;
  for (const pid_t p : processes) sum += static_cast<double>(bytes_of(p));
  return sum;
}

}  // namespace

std::optional<double> resident_notice::look(clock::time_point now,
                                            std::vector<pid_t> const& processes, double by_malloc) {
  if (said_ || now < next_) return std::nullopt;
  next_ = now + notice_every;
  if (by_malloc >= limit_) return std::nullopt;
  const double least = std::max(limit_, by_malloc + std::max(least_part * limit_, least_rest));
  // What forked processes share is in each of these sums. If they are over it, it takes longer to
  // find out what is theirs.
  if (sum_over(processes, &anonymous_of) <= least) return std::nullopt;
  const double bytes = sum_over(processes, &anonymous_share_of);
  if (bytes <= least) {
    next_ = now + look_closely_every;
    return std::nullopt;
  }
  said_ = true;
  return bytes;
}

}  // namespace memprof::tools
