// SPDX-License-Identifier: MIT
//
// usage: victims RULE PROGRAM [SECONDS [check]]
//
// Who is hit when the process comes to its limit, and how far it goes over it. RULE: allocating,
// largest, overcommit (ClickHouse's rules, overcommit_rules.hpp). PROGRAM:
//   doubling   4 threads double vectors without end; limit 64 MiB
//   server     2 threads double vectors, 2 add pages as they come from a disk, 3 serve small tasks
//              of 256 KiB; limit 128 MiB
// Prints the tasks that were stopped and served, and the most bytes that lived at once, counted
// exactly. With `check`: fails if these are over 1.25 of the limit, if no runaway was stopped, or
// if a small task was.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string_view>
#include <thread>
#include <vector>

#include "memprof/memprof.hpp"

#include "victims/overcommit_rules.hpp"

namespace victims {
namespace {

using namespace memprof::literals;
using namespace std::chrono_literals;

std::atomic<std::int64_t> live{0};
std::atomic<std::int64_t> peak{0};
overcommit_rules* rules = nullptr;  // null: memprof decides
thread_local overcommit_rules::task* this_task = nullptr;

/// Counts what lives.
template <class T>
struct allocator {
  using value_type = T;
  allocator() = default;
  template <class U>
  allocator(allocator<U> const&) noexcept {}
  T* allocate(std::size_t n) {
    const auto size = static_cast<std::int64_t>(n * sizeof(T));
    if (rules != nullptr) rules->request(*this_task, size);
    auto* const block = static_cast<T*>(::operator new(n * sizeof(T)));
    const std::int64_t now = live += size;
    for (std::int64_t most = peak; now > most && !peak.compare_exchange_weak(most, now);) {
    }
    return block;
  }
  void deallocate(T* block, std::size_t n) noexcept {
    const auto size = static_cast<std::int64_t>(n * sizeof(T));
    live -= size;
    ::operator delete(block);
    if (rules != nullptr) rules->release(*this_task, size);
  }
  friend bool operator==(allocator, allocator) noexcept { return true; }
};
using numbers = std::vector<std::uint64_t, allocator<std::uint64_t>>;

/// True if it was served.
template <class F>
bool run(F const& f) {
  if (rules == nullptr) return memprof::limit_global_memory(f).has_value();
  overcommit_rules::task task;
  this_task = &task;
  rules->begin(task);
  bool served = true;
  try {
    f();
  } catch (std::bad_alloc const&) {
    served = false;
  }
  rules->end(task);
  return served;
}

std::atomic<bool> over{false};

void double_vector() {
  numbers all;
  while (!over) all.push_back(all.size());
}

void add_pages() {
  std::vector<numbers> pages;
  while (!over) {
    pages.emplace_back(32'768, pages.size());
    std::this_thread::sleep_for(1ms);
  }
}

void serve() {
  constexpr std::size_t pages = 64;
  std::vector<numbers> answer;
  answer.reserve(pages);
  for (std::size_t i = 0; i < pages; ++i) answer.emplace_back(512, i);
}

struct tally {
  std::atomic<std::uint64_t> served{0};
  std::atomic<std::uint64_t> stopped{0};
  template <class F>
  void run_until_over(F const& f) {
    while (!over) {
      if (run(f)) {
        served += !over;
      } else {
        ++stopped;
      }
    }
  }
};

struct team {
  int doubling;
  int paging;
  int serving;
};

int contest(team const& t, memprof::bytes limit, double seconds, bool check) {
  const memprof::bytes before = memprof::live_major_memory().value;
  memprof::set_global_memory_limit(before + limit);
  overcommit_rules their_rules(limit.count());
  if (rules != nullptr) rules = &their_rules;
  tally runaway, small;
  {
    std::vector<std::jthread> threads;
    const auto start = [&](int n, tally& count, void (*work)()) {
      for (int i = 0; i < n; ++i) {
        threads.emplace_back([&count, work] { count.run_until_over(work); });
      }
    };
    start(t.doubling, runaway, double_vector);
    start(t.paging, runaway, add_pages);
    start(t.serving, small, serve);
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    over = true;
  }
  const double ratio = static_cast<double>(peak) / static_cast<double>(limit.count());
  std::printf(
      "runaways stopped %llu; small tasks stopped %llu, served %llu; peak %.1f MiB, %.3f of the "
      "limit\n",
      static_cast<unsigned long long>(runaway.stopped),
      static_cast<unsigned long long>(small.stopped), static_cast<unsigned long long>(small.served),
      static_cast<double>(peak) / (1 << 20), ratio);
  if (!check) return 0;
  return ratio <= 1.25 && runaway.stopped > 0 && small.stopped == 0 &&
                 (t.serving == 0 || small.served > 0)
             ? 0
             : 1;
}

}  // namespace
}  // namespace victims

int main(int argc, char** argv) {
  using namespace victims;
  const std::string_view rule = argc > 1 ? argv[1] : "";
  const std::string_view program = argc > 2 ? argv[2] : "";
  const double seconds = argc > 3 ? std::atof(argv[3]) : 2.0;
  const bool check = argc > 4 && argv[4] == std::string_view("check");
  if (check)
    memprof::set_global_memory_patience(20s);  // a busy machine may keep the victim waiting
  if (rule == "largest") {
    memprof::set_global_memory_victim(memprof::victim::largest);
  } else if (rule == "overcommit") {
    static overcommit_rules until_the_contest(0);
    rules = &until_the_contest;
  } else if (rule != "allocating") {
    std::fprintf(stderr, "victims: no rule '%s'\n", argv[1]);
    return 2;
  }
  if (program == "doubling") return contest({4, 0, 0}, 64_MiB, seconds, check);
  if (program == "server") return contest({2, 2, 3}, 128_MiB, seconds, check);
  std::fprintf(stderr, "victims: no program '%s'\n", argc > 2 ? argv[2] : "");
  return 2;
}
