// SPDX-License-Identifier: MIT
#include "tracer/doorbell.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "support/catch2.hpp"

using memprof::tracer::doorbell;
using std::chrono::milliseconds;

namespace {

/// A thread that sleeps once at the bell, as the writing thread does.
class sleeper {
 public:
  explicit sleeper(doorbell& bell, std::uint32_t most, bool idle = true)
      : thread_([this, &bell, most, idle] {
          bell.sleep(most, [this, idle] {
            about_to_wait_ = true;
            return idle;
          });
          awake_ = true;
        }) {
    while (!about_to_wait_) std::this_thread::yield();
  }
  ~sleeper() { thread_.join(); }
  sleeper(sleeper const&) = delete;
  sleeper& operator=(sleeper const&) = delete;

  [[nodiscard]] bool is_awake() const { return awake_; }

 private:
  std::atomic<bool> about_to_wait_{false};
  std::atomic<bool> awake_{false};
  std::thread thread_;
};

}  // namespace

// A bell that is not heard hangs, until ctest ends the test.
TEST_CASE("doorbell: wakes from a sleep, as often as it comes to it") {
  doorbell bell;
  for (int i = 0; i < 2'000; ++i) {
    const sleeper s(bell, 0);
    bell.ring(i % 2 != 0);
  }
}

TEST_CASE("doorbell: a nap is left alone, unless it is urgent") {
  doorbell bell;
  constexpr std::uint32_t an_hour = 3'600'000;
  const sleeper s(bell, an_hour);
  for (int i = 0; i < 10; ++i) {
    bell.ring(false);
    std::this_thread::sleep_for(milliseconds(10));
  }
  CHECK_FALSE(s.is_awake());
  bell.ring(true);
}

TEST_CASE("doorbell: a nap ends by itself, and not early") {
  doorbell bell;
  const auto begin = std::chrono::steady_clock::now();
  { const sleeper s(bell, 50); }
  CHECK(std::chrono::steady_clock::now() - begin >= milliseconds(50));
}

TEST_CASE("doorbell: what came just before is seen, and nobody is waited for") {
  doorbell bell;
  const sleeper s(bell, 0, false);
}

TEST_CASE("doorbell: rung where nobody sleeps, it is forgotten") {
  doorbell bell;
  bell.ring(true);
  const sleeper s(bell, 0);
  std::this_thread::sleep_for(milliseconds(20));
  CHECK_FALSE(s.is_awake());
  bell.ring(false);
}
