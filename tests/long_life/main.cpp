// SPDX-License-Identifier: MIT
//
// A long life: every block is sampled, and stacks, labels, ids, threads, modules and tasks are ever
// new. What does the library keep of them?
//
//     long_life MODULE BLOCKS
//
// MODULE is copied, loaded under a new name and unloaded, again and again. Prints a line of a table
// at 1, 2 and 5 times each power of ten. Exit status 1 if memory grew by more than 4 MiB after the
// first tenth, or if a leak at the end has no stack.
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <memory>
#include <pthread.h>
#include <string>
#include <thread>
#include <unistd.h>

#include "memprof/label.hpp"
#include "memprof/memprof.hpp"
#include "memprof/process.hpp"
#include "memprof/serve/respond.hpp"

using namespace memprof::literals;

namespace {

using number = unsigned long long;

constexpr number per_label = 100, per_task = 1'000, per_thread = 10'000, per_module = 100'000;
constexpr unsigned path_bits = 27;  // 134 million stacks

std::array<std::unique_ptr<char[]>, 1024> kept;  // what lives of the program

/// A block whose stack is one of 2^depth, by the bits of `path`.
[[gnu::noinline]] std::unique_ptr<char[]> by_path(number path, unsigned depth) {
  if (depth == 0) return std::make_unique_for_overwrite<char[]>(24);
  // Two calls, so two return addresses; neither is the last of the function.
  auto block = (path & 1) != 0 ? by_path(path >> 1, depth - 1) : nullptr;
  if (!block) block = by_path(path >> 1, depth - 1);
  block[0] = static_cast<char>(depth);
  return block;
}

[[gnu::noinline]] char* a_leak_at_the_end() {
  char* const block = new char[77'777];
  block[0] = 'x';  // so the call is not the function's last
  return block;
}

/// Beginning with some number, blocks until the next.
void some_blocks(number from, number count) {
  for (number n = from; n < from + count; n += per_label) {
    memprof::label const route("request", std::to_string(n));
    memprof::label const id("trace_id", std::to_string(n));
    const auto allocate = [n] {
      for (number i = n; i < n + per_label; ++i) {
        // An odd factor: each of the 2^path_bits paths once.
        kept[i % kept.size()] = by_path(i * 0x9e37'79b9u % (1u << path_bits), path_bits);
      }
    };
    if (n % per_task == 0) {  // its limit is hit
      static_cast<void>(memprof::run_limited({.allocations = 1_KiB}, allocate));
    } else {
      allocate();
    }
  }
}

void use_module(std::string const& module, number n) {
  const std::string copy = std::filesystem::temp_directory_path() /
                           ("long_life." + std::to_string(getpid()) + '.' + std::to_string(n));
  std::filesystem::copy_file(module, copy);
  void* const loaded = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
  std::filesystem::remove(copy);
  if (loaded == nullptr) std::exit(2);
  const auto get = reinterpret_cast<void* (*)(std::size_t)>(dlsym(loaded, "get_by_new"));
  ::operator delete(get(100));
  dlclose(loaded);
}

/// KiB that are resident and no file's.
long anonymous() {
  std::ifstream in("/proc/self/smaps_rollup");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("Anonymous:")) return std::stol(line.substr(10));
  }
  return 0;
}

long mappings() {
  std::ifstream in("/proc/self/maps");
  long count = 0;
  for (std::string line; std::getline(in, line);) ++count;
  return count;
}

void print(number blocks, std::chrono::steady_clock::time_point began) {
  const memprof::process_counters c = memprof::counters();
  const std::string page = memprof::serve::respond({.target = "/metrics"}).body;
  const auto value = [&](std::string const& name) {
    const std::size_t at = page.find('\n' + name + ' ');
    return at == std::string::npos ? 0 : std::atoll(page.c_str() + at + name.size() + 2);
  };
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began;
  std::printf("| %llu | %.0f | %ld | %ld | %llu | %lld | %lld | %llu |\n", blocks, passed.count(),
              anonymous(), mappings(), static_cast<number>(c.tracked_blocks),
              value("memprof_profile_samples_without_stack_total"),
              value("memprof_labels_left_out_total"), static_cast<number>(c.dropped_blocks));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const number blocks = argc == 3 ? std::strtoull(argv[2], nullptr, 10) : 0;
  if (blocks < 10 * per_module) {
    std::fputs("usage: long_life MODULE BLOCKS, at least 1000000\n", stderr);
    return 2;
  }
  memprof::set_process_sampling_rate(memprof::sampling_rate(1));
  memprof::serve::collect_stacks(memprof::sampling_rate(1));
  std::puts(
      "| blocks | s | anonymous KiB | mappings | tracked | without stack | labels left out "
      "| dropped |\n|---|---|---|---|---|---|---|---|");
  const auto began = std::chrono::steady_clock::now();
  long after_a_tenth = 0;
  number next = per_module;
  for (number n = 0; n < blocks; n += per_thread) {
    std::thread thread([n] {
      pthread_setname_np(pthread_self(), ("t" + std::to_string(n / per_thread)).c_str());
      some_blocks(n, per_thread);
    });
    thread.join();
    const number done = n + per_thread;
    if (done % per_module == 0) use_module(argv[1], done);
    if (done == blocks / 10 / per_thread * per_thread) after_a_tenth = anonymous();
    if (done == next || done == blocks) {
      print(done, began);
      next = std::to_string(next).front() == '2' ? next / 2 * 5 : next * 2;
    }
  }
  char* const leak = a_leak_at_the_end();
  const long grown = anonymous() - after_a_tenth;
  const std::string heap = memprof::serve::respond({.target = "/debug/pprof/heap?debug=1"}).body;
  const bool named = heap.find("a_leak_at_the_end") != std::string::npos;
  std::printf("grown by %ld KiB after a tenth; the leak has %s stack\n", grown,
              named ? "its" : "no");
  delete[] leak;
  return grown <= 4096 && named ? 0 : 1;
}
