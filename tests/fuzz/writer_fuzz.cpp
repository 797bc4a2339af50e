// SPDX-License-Identifier: MIT
//
// Any row of events that the writer takes is what the reader gives back.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <fuzzer/FuzzedDataProvider.h>
#include <map>
#include <string>
#include <vector>

#include "memprof/trace/reader.hpp"
#include "memprof/trace/writer.hpp"

#include "memory_file.hpp"

using namespace memprof::trace;
using std::chrono::microseconds;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

struct written_event {
  event e;
  std::vector<location_code> stack;  // e.backtrace lives only while it is written
};

/// Few codes, so that stacks repeat and the cache hits; some of them far apart.
location_code code_of(FuzzedDataProvider& input) {
  std::uint64_t const n = input.ConsumeIntegralInRange<std::uint64_t>(1, 400);
  return n % 7 == 0 ? n * 0x1234567 : n;
}

/// At most 400 frames: the format cuts stacks that take more than 4 KiB.
void change(std::vector<location_code>& stack, FuzzedDataProvider& input) {
  std::size_t const kept = input.ConsumeIntegralInRange<std::size_t>(0, stack.size());
  stack.resize(kept);
  std::size_t const repeated = input.ConsumeBool() ? input.ConsumeIntegral<std::uint8_t>() : 1;
  std::size_t const n = input.ConsumeIntegralInRange<std::size_t>(0, 12);
  for (std::size_t i = 0; i < n; ++i) stack.push_back(code_of(input));
  if (!stack.empty()) stack.insert(stack.end(), repeated, stack.back());
  stack.resize(std::min<std::size_t>(stack.size(), 400));
}

std::string name_of(location_code code, char const* kind) {
  return kind + std::to_string(code % 97);
}

/// Positions of a code: none, one or some, always the same.
class positions {
 public:
  std::span<location const> operator()(location_code code) {
    auto const [at, isnew] = known_.try_emplace(code);
    if (isnew) {
      for (std::size_t i = 0; i < code % 4; ++i) {
        auto const line = static_cast<std::uint32_t>(code + i);
        at->second.push_back({names_.emplace_back(name_of(code + i, "file")),
                              names_.emplace_back(name_of(code * 3 + i, "function")),
                              line & 0xFFFFF, line & 0xFF, line & 0x3FF});
      }
    }
    return at->second;
  }

 private:
  std::map<location_code, std::vector<location>> known_;
  std::deque<std::string> names_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  FuzzedDataProvider input(data, size);
  info about;
  about.version = input.ConsumeBool() ? 3 : 2;
  about.sample_rate = 1e-4;
  about.executable_name = input.ConsumeRandomLengthString(40);
  std::replace(about.executable_name.begin(), about.executable_name.end(), '\0', '?');
  about.start_time = std::chrono::sys_time<microseconds>(
      microseconds(input.ConsumeIntegralInRange<std::int64_t>(0, std::int64_t{1} << 52)));

  std::vector<std::byte> file;
  positions table;
  std::vector<written_event> expected;
  std::vector<location_code> stack;
  std::map<std::uint16_t, microseconds> clocks;
  {
    writer to(
        [&](std::span<std::byte const> packet) {
          file.insert(file.end(), packet.begin(), packet.end());
        },
        about, [&](location_code code) { return table(code); });
    std::vector<std::pair<object_id, std::uint16_t>> live;
    while (input.remaining_bytes() > 0 && expected.size() < 2000) {
      auto const domain =
          about.version == 3 ? input.ConsumeIntegralInRange<std::uint16_t>(0, 3) : std::uint16_t{0};
      written_event next;
      event& e = next.e;
      unsigned const action = input.ConsumeIntegralInRange<unsigned>(0, 5);
      microseconds const step(action == 5 ? input.ConsumeIntegral<std::uint32_t>()
                                          : input.ConsumeIntegral<std::uint8_t>());
      if (action <= 3 || live.empty()) {
        e.time = clocks[domain] += step;
        e.domain = domain;
        e.source = static_cast<heap>(input.ConsumeIntegralInRange<int>(0, 2));
        e.length = input.ConsumeBool() ? input.ConsumeIntegralInRange<std::uint64_t>(0, 20)
                                       : input.ConsumeIntegral<std::uint64_t>() >> 2;
        e.n_samples = input.ConsumeBool() ? 1 : 1 + (input.ConsumeIntegral<std::uint64_t>() >> 3);
        change(stack, input);
        next.stack = stack;
        e.object = to.allocation(e.time, e.source, e.length, e.n_samples, stack, domain);
        live.emplace_back(e.object, domain);
      } else {
        std::size_t const i = input.ConsumeIntegralInRange<std::size_t>(0, live.size() - 1);
        e.object = live[i].first;
        e.domain = live[i].second;
        e.time = clocks[e.domain] += step;
        if (action == 4) {
          e.kind = event_kind::promotion;
          to.promotion(e.time, e.object, e.domain);
        } else {
          e.kind = event_kind::collection;
          to.collection(e.time, e.object, e.domain);
        }
        live[i] = live.back();
        live.pop_back();
      }
      expected.push_back(std::move(next));
    }
    to.close();
  }

  reader trace(memprof_fuzz::memory_file(file), "fuzz");
  require(trace.info().executable_name == about.executable_name);
  require(trace.info().start_time == about.start_time);
  event e;
  for (written_event const& wanted : expected) {
    require(trace.next(e));
    require(e.kind == wanted.e.kind && e.object == wanted.e.object && e.domain == wanted.e.domain &&
            e.time == wanted.e.time);
    if (e.kind != event_kind::allocation) continue;
    require(e.source == wanted.e.source && e.length == wanted.e.length &&
            e.n_samples == wanted.e.n_samples);
    require(std::ranges::equal(e.backtrace, wanted.stack));
    for (location_code const code : e.backtrace) {
      require(std::ranges::equal(trace.locations(code), table(code)));
    }
  }
  require(!trace.next(e));
  require(trace.notices().empty());
  return 0;
}
