// SPDX-License-Identifier: MIT
// Threads that end with live blocks, that allocate while their thread-locals are destroyed, and
// blocks freed by others, later: all sums come back to where they were.
#include <memory>
#include <pthread.h>
#include <thread>
#include <vector>

#include "memprof/memprof.hpp"

#include "check.hpp"

using namespace memprof::literals;

namespace {

std::vector<void*>* left_behind = nullptr;

struct allocates_when_destroyed {
  std::vector<int> ints{1, 2, 3};
  ~allocates_when_destroyed() {
    for (int i = 0; i < 1000; ++i) ints.push_back(i);
    const std::unique_ptr<char[]> more(new char[10'000]);
    CHECK(more != nullptr);
  }
};
thread_local allocates_when_destroyed local;

pthread_key_t key;

void allocate_in_key_destructor(void* rounds) {
  ::operator delete(::operator new(100));
  const auto left = reinterpret_cast<std::uintptr_t>(rounds);
  if (left > 1) pthread_setspecific(key, reinterpret_cast<void*>(left - 1));
}

}  // namespace

int main() {
  CHECK(pthread_key_create(&key, allocate_in_key_destructor) == 0);
  memprof::set_process_sampling_rate(memprof::sampling_rate{1.0});
  std::vector<void*> blocks;
  blocks.reserve(100'000);
  left_behind = &blocks;
  const auto before = memprof::live_memory();
  const auto major_before = memprof::live_major_memory();
  for (int round = 0; round < 50; ++round) {
    std::thread([] {
      pthread_setspecific(key, reinterpret_cast<void*>(std::uintptr_t{3}));
      local.ints.push_back(4);
      // Under a limit of its own: the blocks outlive scope and thread.
      const auto r = memprof::limit_memory(1_GiB, [] {
        for (int i = 0; i < 100; ++i) left_behind->push_back(::operator new(64));
      });
      CHECK(r.has_value());
    }).join();
  }
  // What an ended thread left is major: 50 x 100 blocks of 9 words.
  const auto major = memprof::live_major_memory();
  CHECK(major.value.count() - major_before.value.count() >= 50 * 100 * 72);
  for (void* block : blocks) ::operator delete(block);
  const auto after = memprof::live_memory();
  // glibc keeps a thread's stack and its static TLS; nothing of ours remains.
  CHECK(after.value.count() - before.value.count() < 50'000);
  CHECK(after.value.count() >= before.value.count() - 50'000);
}
