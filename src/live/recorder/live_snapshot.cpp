// SPDX-License-Identifier: MIT
#include "recorder/live_snapshot.hpp"

#include <algorithm>
#include <unordered_map>

#include "encoding/encoding.hpp"
#include "recorder/process_facts.hpp"

namespace memprof::recorder {

trace::info info_of_live(std::span<live_blocks* const> of, std::uint64_t start) {
  trace::info info;
  info.version = encoding::newest_version;
  info.sample_rate = of.front()->rate();
  info.word_bits = 64;
  info.executable_name = of.front()->program();
  info.host_name = host_name();
  info.pid = static_cast<std::uint64_t>(of.front()->process());
  info.start_time = decltype(info.start_time)(std::chrono::microseconds(start));
  return info;
}

live_snapshot::live_snapshot(std::span<live_blocks* const> of) {
  std::uint64_t start = ~std::uint64_t{0};
  for (live_blocks* const l : of) {
    if (l->rate() != 0) start = std::min(start, l->start_time());
  }
  const std::uint64_t now = microseconds_now();
  age_ = now > start ? now - start : 0;
  info_ = info_of_live(of, start);

  for (live_blocks* const l : of) {
    if (l->rate() == 0) continue;
    std::unordered_map<void const*, std::size_t> known;  // a process has each stack once
    l->for_each([&](live_blocks::block const& b) {
      const auto [stack, fresh] = known.try_emplace(b.backtrace.data(), stacks_.size());
      if (fresh) {
        backtrace& copy = stacks_.emplace_back();
        for (const auto code : b.backtrace) copy.push_back(codes_.code_of(*l, code));
      }
      // No clock of the program's is trusted: times lie between the start and now.
      blocks_.push_back({.since_start = std::min(b.time > start ? b.time - start : 0, age_),
                         .length = b.length,
                         .samples = b.samples,
                         .stack = stack->second});
    });
  }
  std::ranges::stable_sort(blocks_, {}, &block::since_start);
}

}  // namespace memprof::recorder
