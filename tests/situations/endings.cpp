// SPDX-License-Identifier: MIT
// How threads end, and processes.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "situation.hpp"

#define SITUATION(name) MEMPROF_SITUATION_IN("endings", name)

namespace {

using situations::check;
using situations::say;
using situations::work;

struct allocates_when_destroyed {
  std::vector<std::string> kept;
  ~allocates_when_destroyed() {
    for (int i = 0; i < 50; ++i) kept.push_back(std::string(100, 'x'));
    ended += static_cast<int>(kept.size());
    work(1, 50);
  }
  static inline std::atomic<int> ended{0};
};
thread_local allocates_when_destroyed of_thread;

SITUATION(thread_local_destructors) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 20; ++t)
    threads.emplace_back([t] { of_thread.kept.push_back(std::to_string(t)); });
  for (auto& thread : threads) thread.join();
  say("%d strings", allocates_when_destroyed::ended.load());
  return 0;
}

pthread_key_t round_key;
std::atomic<int> rounds{0};

SITUATION(key_destructors_in_rounds) {
  pthread_key_create(&round_key, [](void* value) {
    ++rounds;
    std::free(value);
    work(2, 40);
    pthread_setspecific(round_key,
                        std::malloc(100));  // so that it is called once more, at most 4 times
  });
  for (int t = 0; t < 5; ++t) {
    std::thread([] { pthread_setspecific(round_key, std::malloc(100)); }).join();
  }
  say("%d rounds", rounds.load());
  return 0;
}

SITUATION(many_keys) {
  std::vector<pthread_key_t> keys;
  pthread_key_t key = 0;
  while (keys.size() < 2000 && pthread_key_create(&key, std::free) == 0) keys.push_back(key);
  std::thread([&keys] {
    for (pthread_key_t const k : keys) pthread_setspecific(k, std::malloc(10));
  }).join();
  say("a thousand keys: %s", keys.size() >= 1000 ? "yes" : "no");
  return 0;
}

std::atomic<int> cleaned{0};

SITUATION(cancelled_threads) {
  for (int i = 0; i < 40; ++i) {
    pthread_t thread{};
    std::atomic<bool> running{false};
    pthread_create(
        &thread, nullptr,
        [](void* flag) -> void* {
          std::string const kept(1000, 'c');
          pthread_cleanup_push(
              [](void*) {
                work(3, 40);
                ++cleaned;
              },
              nullptr);
          static_cast<std::atomic<bool>*>(flag)->store(true);
          for (;;) {
            work(4, 20);
            pthread_testcancel();
          }
          pthread_cleanup_pop(0);
        },
        &running);
    while (!running) sched_yield();
    pthread_cancel(thread);
    void* result = nullptr;
    pthread_join(thread, &result);
    check(result == PTHREAD_CANCELED, "the thread was cancelled");
  }
  say("%d cleaned up", cleaned.load());
  return 0;
}

SITUATION(cancelled_in_read) {
  int ends[2];
  check(pipe(ends) == 0, "pipe");
  for (int i = 0; i < 20; ++i) {
    std::thread reader([&ends] {
      auto const kept = std::make_unique<char[]>(5000);
      check(read(ends[0], kept.get(), 1) == 99, "read returns");
    });
    pthread_cancel(reader.native_handle());
    reader.join();
  }
  say("20 readers cancelled");
  return 0;
}

SITUATION(exit_among_threads) {
  for (std::uint32_t t = 0; t < 6; ++t) {
    std::thread([t] {
      for (;;) work(t, 100);
    }).detach();
  }
  std::atexit([] {
    work(6, 200);
    say("atexit");
  });
  work(7, 200);
  std::exit(21);
}

SITUATION(exit_from_thread) {
  std::atexit([] { say("atexit, sum %u", work(8, 200)); });
  std::thread([] {
    work(9, 100);
    std::exit(22);
  }).join();
  return 94;
}

SITUATION(main_ends_first) {
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    say("the last thread, sum %u", work(10, 300));
  }).detach();
  work(11, 100);
  pthread_exit(nullptr);
}

SITUATION(pthread_exit_through_frames) {
  static std::atomic<int> destroyed{0};
  struct counted {
    std::vector<int> kept = std::vector<int>(100);
    ~counted() { destroyed += static_cast<int>(kept.size()) / 100; }
  };
  for (int i = 0; i < 10; ++i) {
    pthread_t thread{};
    pthread_create(
        &thread, nullptr,
        [](void*) -> void* {
          counted const outer;
          [] {
            counted const inner;
            pthread_exit(nullptr);
          }();
          return nullptr;
        },
        nullptr);
    pthread_join(thread, nullptr);
  }
  say("%d destroyed", destroyed.load());
  return 0;
}

struct at_both_ends {
  std::vector<std::string> kept = std::vector<std::string>(20, std::string(50, 's'));
  ~at_both_ends() {
    kept.push_back(std::string(500, 't'));
    if (used) say("static destructor, sum %u", work(8, 50));
  }
  bool used = false;
} static_object;

SITUATION(static_destructors) {
  static_object.used = true;
  std::atexit([] { say("atexit, sum %u", work(9, 50)); });
  at_quick_exit([] { say("never"); });
  thread_local at_both_ends of_main;
  of_main.used = true;
  return 17;
}

SITUATION(quick_exit_handlers) {
  std::atexit([] { say("never"); });
  at_quick_exit([] { say("at_quick_exit, sum %u", work(10, 50)); });
  std::quick_exit(18);
}

SITUATION(ends_at_once) {
  static_object.used = true;
  work(11, 200);
  _exit(19);
}

SITUATION(killed) {
  work(15, 200);
  say("now");
  raise(SIGKILL);
  return 0;
}

SITUATION(segmentation_fault) {
  work(16, 200);
  say("now");
  raise(SIGSEGV);
  return 0;
}

SITUATION(aborted) {
  std::signal(SIGABRT, [](int) { say("aborting, sum %u", work(17, 50)); });
  work(18, 200);
  std::abort();
}

}  // namespace
