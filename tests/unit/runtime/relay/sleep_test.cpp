// SPDX-License-Identifier: MIT
#include "relay/sleep.hpp"

#include <atomic>
#include <chrono>
#include <ctime>
#include <thread>

#include "support/catch2.hpp"

using namespace memprof;
using relay::control;
using std::chrono::milliseconds;

namespace {

/// A thread that sleeps once, as the writing thread does.
class sleeper {
 public:
  sleeper(control& shared, bool naps, timespec most = {.tv_sec = 3600, .tv_nsec = 0},
          bool needed = false)
      : thread_([this, &shared, naps, most, needed] {
          const auto look = [this, needed] {
            about_to_wait_ = true;
            return needed;
          };
          if (naps) {
            relay::sleep_unless(shared, most, look);
          } else {
            relay::sleep_until_record(shared, look);
          }
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

// A wake-up that is missed hangs, until ctest ends the test.
TEST_CASE("who is idle is woken by any record, as often as it comes to it") {
  base::open_process_barrier();
  control shared;
  for (int i = 0; i < 2'000; ++i) {
    const sleeper s(shared, false);
    if (i % 2 == 0) {
      relay::wake_idle(shared);
    } else {
      relay::wake(shared);
    }
  }
}

TEST_CASE("a nap is left alone by records, and ended by what is urgent") {
  control shared;
  const sleeper s(shared, true);
  for (int i = 0; i < 10; ++i) {
    relay::wake_idle(shared);
    std::this_thread::sleep_for(milliseconds(10));
  }
  CHECK_FALSE(s.is_awake());
  relay::wake(shared);
}

TEST_CASE("a nap ends by itself, and not early") {
  control shared;
  const auto begin = std::chrono::steady_clock::now();
  { const sleeper s(shared, true, {.tv_sec = 0, .tv_nsec = 50'000'000}); }
  CHECK(std::chrono::steady_clock::now() - begin >= milliseconds(50));
}

TEST_CASE("what came just before is seen, and nobody is waited for") {
  base::open_process_barrier();
  control shared;
  const sleeper naps(shared, true, {.tv_sec = 3600, .tv_nsec = 0}, true);
  control other;
  const sleeper idle(other, false, {}, true);
}

TEST_CASE("woken where nobody sleeps, it is forgotten") {
  base::open_process_barrier();
  control shared;
  relay::wake(shared);
  relay::wake_idle(shared);
  const sleeper s(shared, false);
  std::this_thread::sleep_for(milliseconds(20));
  CHECK_FALSE(s.is_awake());
  relay::wake_idle(shared);
}
