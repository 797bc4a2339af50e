// SPDX-License-Identifier: MIT
// Two modules that are loaded in turns, mostly at the same address, one whose function lets an
// interrupt through and one whose function would end it in std::terminate; while other threads do
// the same with copies of their own, and others run pre-flights. What was found out about one of
// them must never be taken for the other: a stale verdict is a dead process, or a missed interrupt.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "memprof/memprof.hpp"

#include "check.hpp"

using namespace memprof::literals;

namespace {

std::atomic<int> rounds{0};
std::atomic<int> same_address{0};

/// The place in a module that the last call came from.
thread_local void* called_from = nullptr;

[[gnu::noinline]] void allocate_much() {
  called_from = __builtin_return_address(0);
  for (int i = 0; i < 40; ++i) ::operator delete(::operator new(1024));
}

using function = void (*)(void (*)());

void run_through(function call_through, bool lets_through) {
  auto const r = memprof::run_limited({.allocations = 16_KiB, .count = memprof::counting::exact},
                                      [&] { call_through(&allocate_much); });
  CHECK(!r);
  CHECK((r.error().deliveries() > 0) == lets_through);
  CHECK(lets_through || r.error().deferrals() > 0);
}

void* load(std::string const& path, function& call_through) {
  void* const module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  CHECK(module != nullptr);
  call_through = reinterpret_cast<function>(dlsym(module, "_Z12call_throughPFvvE"));
  CHECK(call_through != nullptr);
  return module;
}

/// Loads a module, runs a task through its function, unloads it. Returns where its call was.
void* run_in(std::string const& path, bool lets_through) {
  function call_through = nullptr;
  void* const module = load(path, call_through);
  run_through(call_through, lets_through);
  CHECK(dlclose(module) == 0);
  ++rounds;
  return called_from;
}

void take_turns(std::string const& one, std::string const& other, std::atomic<bool> const& stop) {
  while (!stop) {
    void* const a = run_in(one, true);
    void* const b = run_in(other, false);
    if (a == b) ++same_address;
  }
}

}  // namespace

int main() {
  namespace fs = std::filesystem;
  char const* const modules = std::getenv("MEMPROF_TEST_MODULES");
  CHECK(modules != nullptr);
  fs::path const here = fs::temp_directory_path() / ("memprof-" + std::to_string(getpid()));
  fs::create_directories(here);
  std::atomic<bool> stop{false};
  // The first limit classifies the modules; during that others defer (first_limits.cpp).
  (void)memprof::limit_allocations(1_MiB, allocate_much);
  {
    std::vector<std::jthread> threads;
    threads.emplace_back([&] {
      while (!stop) {
        CHECK(!memprof::run_limited({.allocations = 4_KiB, .count = memprof::counting::exact},
                                    allocate_much));
      }
    });
    for (int i = 0; i < 3; ++i) {
      // The loader knows a module by its file.
      fs::path const one = here / ("see_through" + std::to_string(i) + ".so");
      fs::path const other = here / ("stop_all" + std::to_string(i) + ".so");
      fs::copy_file(fs::path(modules) / "see_through.so", one);
      fs::copy_file(fs::path(modules) / "stop_all.so", other);
      threads.emplace_back([=, &stop] { take_turns(one, other, stop); });
      // Alone at first: where several load at once, an address is seldom given twice.
      for (int wait = 0; i == 0 && same_address <= 10 && wait < 2000; ++wait) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
    }
    std::this_thread::sleep_for(std::chrono::seconds(2));
    // Children of forks, while the loader is busy in other threads: their pre-flights must not wait
    // for a lock that no thread releases there.
    function call_through = nullptr;
    void* const module = load(std::string(modules) + "/see_through.so", call_through);
    for (int i = 0; i < 100; ++i) {
      pid_t const child = fork();
      if (child == 0) {
        alarm(20);
        run_through(call_through, true);
        run_through(call_through, true);
        _exit(0);
      }
      int status = 0;
      CHECK(waitpid(child, &status, 0) == child);
      CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    CHECK(dlclose(module) == 0);
    stop = true;
  }
  std::printf("%d rounds, %d times both at the same address\n", rounds.load(), same_address.load());
  fs::remove_all(here);
  CHECK(rounds > 100);
  CHECK(same_address > 10);
}
