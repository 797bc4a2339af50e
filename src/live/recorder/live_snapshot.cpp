// SPDX-License-Identifier: MIT
#include "recorder/live_snapshot.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include "memprof/trace/writer.hpp"

#include "encoding/encoding.hpp"
#include "recorder/common_codes.hpp"
#include "recorder/process_facts.hpp"

namespace memprof::recorder {
namespace {

struct chosen_block {
  live_blocks::block what;
  live_blocks* of;
};

}  // namespace

trace::info info_of_live(std::span<live_blocks* const> of) {
  trace::info info;
  info.version = encoding::newest_version;
  info.sample_rate = of.front()->rate();
  info.word_bits = 64;
  info.executable_name = of.front()->program();
  info.host_name = host_name();
  info.pid = static_cast<std::uint64_t>(of.front()->process());
  return info;
}

live_snapshot::live_snapshot(std::span<live_blocks* const> of) {
  std::uint64_t start = ~std::uint64_t{0};
  std::vector<chosen_block> all;
  for (live_blocks* const l : of) {
    if (l->rate() == 0) continue;
    start = std::min(start, l->start_time());
    l->for_each([&](live_blocks::block const& b) { all.push_back({b, l}); });
  }
  std::ranges::sort(all, {}, [](chosen_block const& b) { return b.what.time; });
  const std::uint64_t now = microseconds_now();
  age_ = now > start ? now - start : 0;

  trace::info info = info_of_live(of);
  info.start_time = decltype(info.start_time)(std::chrono::microseconds(start));
  common_codes codes;
  trace::writer writer([this](std::span<std::byte const> packet) { memory_.write(packet); }, info,
                       [&](trace::location_code code) { return codes.locate(code); });
  std::vector<trace::location_code> path;
  for (chosen_block const& b : all) {
    path.clear();
    for (const auto code : b.what.backtrace) path.push_back(codes.code_of(*b.of, code));
    // No clock of the program's is trusted: times lie between the start and now.
    const std::uint64_t since = std::min(b.what.time > start ? b.what.time - start : 0, age_);
    writer.allocation(std::chrono::microseconds(since), trace::heap::major, b.what.length,
                      b.what.samples, path);
  }
  writer.close();
}

}  // namespace memprof::recorder
