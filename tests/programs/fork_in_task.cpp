// SPDX-License-Identifier: MIT
// fork inside a limited task, while other threads allocate at rate 1: the child keeps the forking
// thread's scopes, both continue, and no lock is left behind.
#include <atomic>
#include <memory_resource>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "memprof/memprof.hpp"

#include "check.hpp"

using namespace memprof::literals;

namespace {

std::atomic<bool> stop{false};
memprof::memory_resource resource{std::pmr::get_default_resource()};

void churn() {
  while (!stop.load(std::memory_order_relaxed)) {
    for (std::size_t n : {10u, 500u, 5000u}) ::operator delete(::operator new(n));
    (void)memprof::limit_global_memory([] { ::operator delete(::operator new(100)); });
    resource.deallocate(resource.allocate(64), 64);
  }
}

/// What parent and child do after the fork: allocate, free what came from before, hit limits.
bool works(void* from_before) {
  ::operator delete(from_before);
  const auto r = memprof::limit_allocations(80_KiB, [] {
    while (true) ::operator delete(::operator new(100));
  });
  return !r && r.error().kind() == memprof::limit_kind::allocations;
}

}  // namespace

int main() {
  memprof::set_process_sampling_rate(memprof::sampling_rate{1.0});
  memprof::set_global_memory_limit(10_GiB);
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(churn);
  for (int round = 0; round < 100; ++round) {
    void* block = ::operator new(1000);
    pid_t child = -1;
    const auto r = memprof::run_limited({.allocations = 1_MiB, .global_memory = true}, [&] {
      child = fork();
      CHECK(child >= 0);
      CHECK(works(block));
      while (true) ::operator delete(::operator new(100));  // until the enclosing limit
    });
    CHECK(!r && r.error().kind() == memprof::limit_kind::allocations);
    if (child == 0) {
      memprof::set_global_memory_limit(0_B);
      CHECK(!memprof::limit_global_memory([] { ::operator delete(::operator new(8)); }));
      _exit(33);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 33);
  }
  stop = true;
  for (std::thread& t : threads) t.join();
}
