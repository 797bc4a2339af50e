// SPDX-License-Identifier: MIT
#include "tools/run/resident_notice.hpp"

#include <algorithm>
#include <cstdint>

#include "tools/run/process_status.hpp"

namespace memprof::tools {
namespace {

constexpr std::chrono::milliseconds notice_every{100};
constexpr std::chrono::seconds look_closely_every{1};
/// A close look takes at most such a part of the time.
constexpr int part_of_time = 50;
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
  double bytes = sum_over(processes, &anonymous_of);
  if (bytes <= least) return std::nullopt;
  // What forked processes share is in the sum several times. The kernel goes through all of their
  // pages to find out.
  if (processes.size() > 1) {
    const auto begin = clock::now();
    bytes = sum_over(processes, &anonymous_share_of);
    const clock::duration took = clock::now() - begin;
    next_ = now + std::max<clock::duration>(look_closely_every, part_of_time * took);
  }
  if (bytes <= least) return std::nullopt;
  said_ = true;
  return bytes;
}

}  // namespace memprof::tools
