// SPDX-License-Identifier: MIT
#include "tools/run/unrecorded_memory.hpp"

#include <algorithm>

#include "tools/run/process_status.hpp"

namespace memprof::tools {
namespace {

constexpr std::chrono::milliseconds least_pause{100};
constexpr int pauses_per_look = 20;

}  // namespace

void unrecorded_memory::look(clock::time_point now, process_group const& all,
                             std::vector<pid_t> const& recorded) {
  if (now < next_) return;
  const auto begin = clock::now();
  bytes_ = 0;
  processes_ = 0;
  for (recorder::followed_process const& p : all.others()) {
    if (std::ranges::find(recorded, p.process()) != recorded.end()) continue;
    ++processes_;
    bytes_ += static_cast<double>(own_anonymous_of(p.process()));
  }
  const auto end = clock::now();
  next_ = end + std::max<clock::duration>(least_pause, pauses_per_look * (end - begin));
}

}  // namespace memprof::tools
