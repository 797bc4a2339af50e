// SPDX-License-Identifier: MIT
/// \file
/// Ways to allocate, for the audit to look at: each takes some 300 to 3000 samples. Rates are
/// crooked, so that the expected number of samples is no integer: p-values of exactly 1 would come
/// in heaps.
#pragma once

#include <cstdint>
#include <thread>
#include <vector>

#include "memprof/limits.hpp"
#include "memprof/process.hpp"

#include "statistical/sampled_block.hpp"
#include "support/audited.hpp"

namespace memprof::test {

inline void set_rate(double per_word) { set_process_sampling_rate(sampling_rate{per_word}); }

/// `blocks` blocks of `words` words, the sizes varied a little.
inline void count_blocks(int blocks, std::int64_t words) {
  for (int i = 0; i < blocks; ++i) count_block(words + i % 3);
}

inline void small_blocks() {
  set_rate(1.0037e-2);
  count_blocks(10'000, 8);
}

inline void blocks_at_a_high_rate() {
  set_rate(0.3001);
  count_blocks(2000, 1);
}

inline void large_blocks() {
  set_rate(1.0003e-3);
  count_blocks(100, 9000);
}

inline void mixed_blocks() {
  set_rate(3e-3);
  for (int i = 0; i < 1500; ++i) count_block(std::int64_t{1} << i % 12);
}

inline void four_threads() {
  set_rate(1.0037e-2);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] { count_blocks(1000, 5 + 10 * t); });
  }
  for (std::thread& t : threads) t.join();
}

/// Gaps of threads that end with their first block: nearly all of them are dropped.
inline void short_threads() {
  set_rate(1.0011e-3);
  for (int i = 0; i < 300; ++i) std::thread([] { count_block(1000); }).join();
}

/// Gaps are dropped at each change, and those that are are the long ones.
inline void changing_rates() {
  for (int i = 0; i < 400; ++i) {
    set_rate(i % 2 == 0 ? 1e-3 : i % 3 == 0 ? 0.1 : 1e-2);
    count_blocks(20, 4);
    if (i % 10 == 0) count_block(700);
  }
}

/// As soon as there is a sample the rate is lowered: what a rate that follows the samples does.
inline void rates_that_follow_samples() {
  for (int i = 0; i < 150; ++i) {
    double per_word = 0.2;
    set_rate(per_word);
    for (int block = 0; block < 60; ++block) {
      if (count_block(5) == 0) continue;
      per_word /= 3;
      set_rate(per_word);
    }
  }
}

/// A look at the audit, from within, after each sample and at other times: it hands over.
inline void looked_at_all_the_time() {
  set_rate(1.0037e-2);
  for (int i = 0; i < 10'000; ++i) {
    if (count_block(7) > 0 || i % 11 == 0) (void)engine::read_audit();
  }
}

inline void allocate_blocks(int blocks, std::size_t size) {
  for (int i = 0; i < blocks; ++i) put_block(get_block(size), size);
}

/// Limits at a rate of their own, inside each other, which their samples bring to an end.
inline void nested_scopes() {
  set_rate(1e-3);
  set_limit_sampling_rate(sampling_rate{2e-2});
  for (int i = 0; i < 40; ++i) {
    allocate_blocks(10, 64);
    const auto outer = limit_allocations(words{1000}, [] {
      for (int j = 0; j < 10; ++j) {
        const auto inner = limit_allocations(words{100}, [] { allocate_blocks(30, 64); });
      }
    });
  }
  set_limit_sampling_rate(sampling_rate{0.0});
}

/// Exact limits: events without samples, and interrupts in the middle of gaps.
inline void exact_scopes() {
  set_rate(1.013e-2);
  for (int i = 0; i < 100; ++i) {
    const limits l{.allocations = words{300 + i}, .count = counting::exact};
    const auto r = run_limited(l, [] { allocate_blocks(1000, 24); });
  }
}

struct workload {
  char const* name;
  void (*run)();
  int seeds;  ///< so that it takes a second or less
};

inline constexpr workload audit_workloads[] = {
    {"small blocks", small_blocks, 2000},
    {"a high rate", blocks_at_a_high_rate, 2000},
    {"large blocks", large_blocks, 2000},
    {"mixed blocks", mixed_blocks, 2000},
    {"four threads", four_threads, 1000},
    {"threads of one block", short_threads, 100},
    {"changing rates", changing_rates, 1000},
    {"rates that follow the samples", rates_that_follow_samples, 1000},
    {"looked at all the time", looked_at_all_the_time, 500},
    {"nested scopes", nested_scopes, 500},
    {"exact scopes", exact_scopes, 500},
};

}  // namespace memprof::test
