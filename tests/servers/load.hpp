// SPDX-License-Identifier: MIT
/// \file
/// Good and runaway load for a server in this process, and what must hold afterwards.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <malloc.h>
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

/// The same, once glibc has given back what is free. Its arenas keep what the runaways of their
/// threads took, and which arenas have met one is chance.
inline std::int64_t held_memory() {
  malloc_trim(0);
  return resident_memory();
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
  constexpr std::int64_t most_growth = 16 << 20;
  load_counts counts;
  const std::chrono::milliseconds time{seconds * 1000};
  run_clients(clients, time / 3, 1, counts, make_client);
  const std::int64_t resident_before = resident_memory();
  const std::int64_t before = held_memory();
  run_clients(clients, time, 1000, counts, make_client);
  const std::int64_t resident_after = resident_memory();
  const std::int64_t after = held_memory();
  const auto number = [](std::uint64_t n) { return static_cast<unsigned long long>(n); };
  const auto mebibytes = [](std::int64_t n) { return static_cast<double>(n) / (1 << 20); };
  // scripts/servers.py reads this.
  std::printf(
      "good %llu, of these wrong %llu; runaways stopped %llu, not %llu; resident %.1f MiB, "
      "then %.1f MiB; without what glibc keeps %.1f MiB, then %.1f MiB\n",
      number(counts.good), number(counts.wrong), number(counts.stopped), number(counts.not_stopped),
      mebibytes(resident_before), mebibytes(resident_after), mebibytes(before), mebibytes(after));
  const bool passed = counts.good > 0 && counts.wrong == 0 && counts.stopped > 0 &&
                      counts.not_stopped == 0 && after - before <= most_growth;
  return passed ? 0 : 1;
}

}  // namespace memprof::test
