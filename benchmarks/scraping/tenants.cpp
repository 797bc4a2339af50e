// SPDX-License-Identifier: MIT
// A second target for scripts/scraping.py: three tenants with a budget each, by name on /metrics.
// Each keeps a store of documents, which grows and is emptied; one now and then wants more than its
// budget allows, and is cut. Prints where it listens, and serves until its standard input ends.
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "memprof/memprof.hpp"
#include "memprof/serve/listen.hpp"
#include "memprof/serve/respond.hpp"

using namespace memprof::literals;

namespace {

struct tenant {
  char const* name;
  memprof::limits allowed;
  int documents;                       ///< until the store is emptied
  std::chrono::milliseconds pause{5};  ///< after each
};

/// 16 to 48 KiB.
[[gnu::noinline]] std::string new_document(std::mt19937& random) {
  return std::string((16 << 10) + random() % (32 << 10), 'd');
}

void work(tenant const& t, unsigned seed, std::atomic<bool> const& end) {
  memprof::budget budget(t.allowed);
  const auto shown = memprof::serve::publish(t.name, budget, t.allowed);
  std::mt19937 random(seed);
  while (!end) {
    // The store lives inside the budget, and dies with the task.
    static_cast<void>(budget.run([&] {
      std::vector<std::string> store;
      for (int i = 0; i < t.documents && !end; ++i) {
        store.push_back(new_document(random));
        std::this_thread::sleep_for(t.pause);
      }
    }));
  }
}

}  // namespace

int main() {
  using std::chrono::milliseconds;
  memprof::set_limit_sampling_rate(memprof::sampling_rate::every(8_KiB));
  memprof::serve::collect_stacks();
  const auto server = memprof::serve_on("127.0.0.1:0");
  const std::array<tenant, 3> tenants{{
      {"archive", {.memory = 48_MiB}, 1000, milliseconds(25)},
      {"search", {.memory = 24_MiB}, 600, milliseconds(20)},
      {"import", {.memory = 16_MiB}, 1000, milliseconds(30)},  // needs some 31 MiB
  }};
  std::atomic<bool> end{false};
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < tenants.size(); ++i) {
      threads.emplace_back([&, i] { work(tenants[i], i, end); });
    }
    std::cout << server.address() << std::endl;
    while (std::getchar() != EOF) {
    }
    end = true;
  }
  return 0;
}
