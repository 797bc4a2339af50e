// SPDX-License-Identifier: MIT
/// \file
/// Good and runaway load for a server in this process, and what must hold afterwards.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
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

/// What there is when no request is under way, in bytes.
struct memory_figures {
  std::int64_t resident = resident_memory();
  std::int64_t held = held_memory();
  std::int64_t in_use = 0;   ///< as malloc counts it, its caches of threads included
  std::int64_t threads = 0;  ///< of this process

  memory_figures() {
    const struct mallinfo2 m = mallinfo2();
    in_use = static_cast<std::int64_t>(m.uordblks + m.hblkhd);
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    threads = std::distance(begin(tasks), end(tasks));
  }
};

/// The most that two looks at an idle server may differ by although nothing was lost: what malloc's
/// caches of its threads hold, which counts as in use. Of each of 64 sizes from 24 to 1032 bytes a
/// thread keeps up to 7 blocks: 7 * 64 * 528 bytes.
inline std::int64_t most_cached(memory_figures const& m) { return m.threads * 7 * 64 * 528; }

/// The load for `seconds` in so many rounds, after a third of that to warm up. Returns the exit
/// code: 0 if no good request was answered wrong, all runaways were stopped, and the memory stayed:
/// what is in use when no request is (but for `most_cached`), and within 16 MiB what is resident.
template <class MakeClient>
int run_load(int seconds, int rounds, MakeClient make_client) {
  constexpr int clients = 4;
  constexpr std::int64_t most_growth = 16 << 20;
  load_counts counts;
  const std::chrono::milliseconds time{seconds * 1000};
  const auto number = [](std::uint64_t n) { return static_cast<unsigned long long>(n); };
  const auto mebibytes = [](std::int64_t n) { return static_cast<double>(n) / (1 << 20); };
  run_clients(clients, time / 3, 1, counts, make_client);
  const memory_figures before;
  memory_figures after = before;
  for (int round = 1; round <= rounds; ++round) {
    run_clients(clients, time / rounds, 1000u * static_cast<unsigned>(round), counts, make_client);
    after = memory_figures();
    std::printf("round %d: good %llu, in use %.3f MiB, resident %.1f MiB, held %.1f MiB\n", round,
                number(counts.good), mebibytes(after.in_use), mebibytes(after.resident),
                mebibytes(after.held));
    std::fflush(stdout);
  }
  // scripts/servers.py reads this.
  std::printf(
      "good %llu, of these wrong %llu; runaways stopped %llu, not %llu; resident %.1f MiB, "
      "then %.1f MiB; without what glibc keeps %.1f MiB, then %.1f MiB; "
      "in use %.3f MiB, then %.3f MiB, of which its caches %.3f MiB\n",
      number(counts.good), number(counts.wrong), number(counts.stopped), number(counts.not_stopped),
      mebibytes(before.resident), mebibytes(after.resident), mebibytes(before.held),
      mebibytes(after.held), mebibytes(before.in_use), mebibytes(after.in_use),
      mebibytes(most_cached(after)));
  const bool stayed =
      after.held - before.held <= most_growth && after.in_use - before.in_use <= most_cached(after);
  const bool passed = counts.good > 0 && counts.wrong == 0 && counts.stopped > 0 &&
                      counts.not_stopped == 0 && stayed;
  return passed ? 0 : 1;
}

/// As main does: PROGRAM [SECONDS [ROUNDS]]
template <class MakeClient>
int run_load(int argc, char** argv, MakeClient make_client) {
  const int seconds = argc > 1 ? std::atoi(argv[1]) : 2;
  return run_load(seconds, argc > 2 ? std::max(1, std::atoi(argv[2])) : 1, make_client);
}

}  // namespace memprof::test
