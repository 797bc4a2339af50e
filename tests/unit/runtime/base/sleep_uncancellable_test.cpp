// SPDX-License-Identifier: MIT
#include "base/sleep_uncancellable.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <pthread.h>

#include "support/catch2.hpp"

using namespace memprof;

TEST_CASE("sleep_uncancellable: it takes its time, and keeps errno") {
  const auto begin = std::chrono::steady_clock::now();
  errno = 77;
  base::sleep_uncancellable(20'000);
  CHECK(errno == 77);
  CHECK(std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds(20));
}

TEST_CASE("sleep_uncancellable: it is no place where a thread is cancelled") {
  static std::atomic<bool> went_on{false};
  static std::atomic<bool> ended{false};
  pthread_t thread{};
  REQUIRE(pthread_create(
              &thread, nullptr,
              [](void*) -> void* {
                pthread_cancel(pthread_self());
                base::sleep_uncancellable(1000);
                went_on = true;
                pthread_testcancel();
                ended = true;
                return nullptr;
              },
              nullptr) == 0);
  void* result = nullptr;
  REQUIRE(pthread_join(thread, &result) == 0);
  CHECK(went_on);
  CHECK_FALSE(ended);
  CHECK(result == PTHREAD_CANCELED);
}
