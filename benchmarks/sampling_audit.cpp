// SPDX-License-Identifier: MIT
/// \file
/// memprof-benchmark-sampling_audit: what the audit of the sampler costs. Prints the median of 41
/// runs of each, in nanoseconds per round.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>

#include "memprof/memprof.hpp"

#include "engine/engine.hpp"

namespace {

constexpr int runs = 41;
constexpr int rounds = 100'000;

template <class F>
void measure(char const* what, F&& f) {
  std::array<double, runs> times{};
  for (double& time : times) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < rounds; ++i) f();
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    time = taken.count() / rounds;
  }
  std::sort(times.begin(), times.end());
  std::printf("%-64s %10.1f\n", what, times[runs / 2]);
}

}  // namespace

int main() {
  using namespace memprof;
  set_process_sampling_rate(sampling_rate{1e-2});
  sampling::random_state random{};
  sampling::seed(random, 1, 0);
  const sampling::geometric_distribution law(1e-2);
  std::int64_t position = 0;
  std::int64_t sum = 0;
  measure("a gap drawn", [&] { sum += law.draw(random); });
  engine::gap_audit audit;
  audit.change_law(0, law);
  measure("a gap drawn, and a sample audited", [&] {
    const std::int64_t first = position + law.draw(random);
    position = first + 3;
    audit.take_samples(first, position, 1);
  });
  measure("a change of the rate audited", [&] { audit.change_law(position, law); });
  measure("an event of the engine with a sample, audited", [] {
    const std::int64_t words = engine::current.next_sample - engine::position_now();
    engine::current.countdown -= words;
    const engine::event e{words};
  });
  double p = 0;
  measure("audit_sampling()", [&] { p += audit_sampling().p_value; });
  return sum > 0 && p >= 0 ? 0 : 1;
}
