// SPDX-License-Identifier: MIT
// Threads: many, short, on small stacks, and what they hand to each other.
#include <atomic>
#include <cerrno>
#include <climits>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <future>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <threads.h>
#include <vector>

#include "situation.hpp"

#define SITUATION(name) MEMPROF_SITUATION_IN("threads", name)

namespace {

using situations::check;
using situations::say;
using situations::work;

SITUATION(short_threads) {
  std::atomic<int> n{0};
  for (int i = 0; i < 5000; ++i) {
    std::thread([&n] {
      delete new int(1);
      ++n;
    }).join();
  }
  say("%d short threads", n.load());
  return 0;
}

SITUATION(live_threads) {
  std::mutex mutex;
  std::condition_variable changed;
  int waiting = 0;
  bool go = false;
  std::atomic<std::uint32_t> sum{0};
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < 200; ++t) {
    threads.emplace_back([&, t] {
      sum += work(t, 20);
      std::unique_lock lock(mutex);
      ++waiting;
      changed.notify_all();
      changed.wait(lock, [&] { return go; });
      lock.unlock();
      sum += work(t, 20);
    });
  }
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return waiting == 200; });
    go = true;
  }
  changed.notify_all();
  for (auto& thread : threads) thread.join();
  say("200 live threads, sum %u", sum.load());
  return 0;
}

template <class F>
void on_stack_of(std::size_t size, F f) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  check(pthread_attr_setstacksize(&attributes, size) == 0, "the size of a stack");
  pthread_t thread{};
  check(pthread_create(&thread, &attributes, f, nullptr) == 0, "a thread");
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

SITUATION(smallest_stack) {
  for (int i = 0; i < 20; ++i) {
    on_stack_of(PTHREAD_STACK_MIN, [](void*) -> void* {
      for (int k = 1; k < 200; ++k) std::free(std::malloc(static_cast<std::size_t>(k) * 10));
      return nullptr;
    });
  }
  say("20 threads on the smallest stack");
  return 0;
}

SITUATION(stack_of_program) {
  constexpr std::size_t size = 128 * 1024;
  void* const stack =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack, size);
  for (int i = 0; i < 5; ++i) {
    pthread_t thread{};
    pthread_create(
        &thread, &attributes,
        [](void*) -> void* { return reinterpret_cast<void*>(std::uintptr_t{work(5, 200)}); },
        nullptr);
    void* sum = nullptr;
    pthread_join(thread, &sum);
    say("sum %lu", reinterpret_cast<unsigned long>(sum));
  }
  munmap(stack, size);
  return 0;
}

SITUATION(freed_elsewhere) {
  std::mutex mutex;
  std::vector<std::unique_ptr<std::string>> queue;
  std::atomic<bool> done{false};
  std::size_t total = 0;
  std::thread consumer([&] {
    for (;;) {
      bool const last = done;
      std::vector<std::unique_ptr<std::string>> taken;
      {
        std::lock_guard const lock(mutex);
        taken.swap(queue);
      }
      for (auto const& text : taken) total += text->size();
      if (last && taken.empty()) return;
    }
  });
  for (std::size_t i = 0; i < 20'000; ++i) {
    auto text = std::make_unique<std::string>(i % 300, 'q');
    std::lock_guard const lock(mutex);
    queue.push_back(std::move(text));
  }
  done = true;
  consumer.join();
  say("%zu bytes", total);
  return 0;
}

SITUATION(futures) {
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < 40; ++i) sum += std::async(std::launch::async, work, i, 30).get();
  int caught = 0;
  for (int i = 0; i < 10; ++i) {
    auto result = std::async(std::launch::async, []() -> int { throw std::string("thrown"); });
    try {
      result.get();
    } catch (std::string const& text) {
      caught += text == "thrown";
    }
  }
  say("sum %u, %d caught", sum, caught);
  return 0;
}

SITUATION(c11_threads) {
  std::uint32_t sum = 0;
  for (int i = 0; i < 10; ++i) {
    thrd_t thread{};
    thrd_create(
        &thread, [](void*) { return static_cast<int>(work(12, 50) % 1000); }, nullptr);
    int result = 0;
    thrd_join(thread, &result);
    sum += static_cast<std::uint32_t>(result);
  }
  say("sum %u", sum);
  return 0;
}

SITUATION(once_that_throws) {
  std::once_flag flag;
  int attempts = 0;
  for (int i = 0; i < 3; ++i) {
    try {
      std::call_once(flag, [&] {
        work(13, 30);
        if (++attempts < 3) throw 1;
      });
    } catch (int) {
    }
  }
  say("%d attempts", attempts);
  return 0;
}

SITUATION(robust_mutex) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  auto* const mutex = new pthread_mutex_t;
  pthread_mutex_init(mutex, &attributes);
  std::thread([mutex] {
    pthread_mutex_lock(mutex);
    work(14, 30);
  }).join();
  bool const owner_died = pthread_mutex_lock(mutex) == EOWNERDEAD;
  pthread_mutex_consistent(mutex);
  pthread_mutex_unlock(mutex);
  delete mutex;
  say("owner died: %d", owner_died);
  return 0;
}

}  // namespace
