// SPDX-License-Identifier: MIT
/// \file
/// Good and runaway load for a server in this process, and what must hold afterwards.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace memprof::test {

/// Of this process, in bytes.
inline std::int64_t resident_memory() {
  std::ifstream file("/proc/self/statm");
  std::int64_t all = 0;
  std::int64_t resident = 0;
  file >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

struct load_counts {
  std::atomic<std::uint64_t> good{0};
  std::atomic<std::uint64_t> wrong{0};  ///< good requests that were not answered right
  std::atomic<std::uint64_t> stopped{0};
  std::atomic<std::uint64_t> not_stopped{0};  ///< runaway requests that did not end by their limit
};

/// Clients, each on a thread of its own, until the time is over. client(random, counts) sends one
/// request and judges the answer; 3 of 10 should be runaways.
template <class MakeClient>
void run_clients(int clients, std::chrono::milliseconds time, unsigned seed, load_counts& counts,
                 MakeClient make_client) {
  const auto end = std::chrono::steady_clock::now() + time;
  std::vector<std::thread> threads;
  for (int i = 0; i < clients; ++i) {
    threads.emplace_back([&, i] {
      std::mt19937 random(seed + static_cast<unsigned>(i));
      auto client = make_client();
      while (std::chrono::steady_clock::now() < end) client(random, counts);
    });
  }
  for (auto& t : threads) t.join();
}

/// The load for `seconds`, after a third of that to warm up. Returns the exit code: 0 if no good
/// request was answered wrong, all runaways were stopped, and the memory stayed.
template <class MakeClient>
int run_load(int seconds, MakeClient make_client) {
  constexpr int clients = 4;
  constexpr std::int64_t most_growth = 24 << 20;
  load_counts counts;
  const std::chrono::milliseconds time{seconds * 1000};
  run_clients(clients, time / 3, 1, counts, make_client);
  const std::int64_t before = resident_memory();
  run_clients(clients, time, 1000, counts, make_client);
  const std::int64_t after = resident_memory();
  std::printf(
      "good %llu, of these wrong %llu; runaways stopped %llu, not %llu; "
      "resident %lld KiB, then %lld KiB\n",
      static_cast<unsigned long long>(counts.good.load()),
      static_cast<unsigned long long>(counts.wrong.load()),
      static_cast<unsigned long long>(counts.stopped.load()),
      static_cast<unsigned long long>(counts.not_stopped.load()),
      static_cast<long long>(before / 1024), static_cast<long long>(after / 1024));
  const bool passed = counts.good > 0 && counts.wrong == 0 && counts.stopped > 0 &&
                      counts.not_stopped == 0 && after - before <= most_growth;
  return passed ? 0 : 1;
}

}  // namespace memprof::test
