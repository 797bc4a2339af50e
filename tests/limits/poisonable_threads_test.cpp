// SPDX-License-Identifier: MIT
//
// poisonable between threads: upstream's "Sisyphus", and waiting.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "memprof/memprof.hpp"

#include "limits/hit.hpp"
#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;
using namespace std::chrono_literals;

/// A stack whose length is kept beside it, and is wrong in the middle of a push.
class counted_stack {
 public:
  counted_stack() = default;
  ~counted_stack() { clear(); }
  counted_stack(counted_stack const&) = delete;
  counted_stack& operator=(counted_stack const&) = delete;

  void push() {
    ++length_;
    top_ = ::new (allocate(sizeof(node))) node{top_};
  }
  void pop() noexcept {
    node* const old = top_;
    top_ = old->below;
    release(old, sizeof(node));
    --length_;
  }
  void clear() noexcept {
    while (top_ != nullptr) pop();
    length_ = 0;
  }
  [[nodiscard]] std::size_t length() const noexcept { return length_; }
  [[nodiscard]] bool is_whole() const noexcept {
    std::size_t n = 0;
    for (node const* i = top_; i != nullptr; i = i->below) ++n;
    return n == length_;
  }

 private:
  struct node {
    node* below;
  };
  node* top_ = nullptr;
  std::size_t length_ = 0;
};

TEST_CASE("Sisyphus: a shared stack, torn and rebuilt for ever, is never seen broken",
          "[limits][poisonable]") {
  with_seed fixture(3);
  constexpr int interrupts_per_thread = 2000;
  poisonable<counted_stack> shared;
  std::atomic<int> rebuilt{0};
  std::atomic<int> seen_broken{0};
  std::atomic<int> failed_early{0};
  in_threads(4, [&](std::size_t thread) {
    std::uint64_t x = 17 + thread;
    for (int i = 0; i < interrupts_per_thread; ++i) {
      x = x * 6364136223846793005u + 1442695040888963407u;
      auto const limit = words{static_cast<std::int64_t>(x >> 33) % 1000};
      auto const r = run_limited({.allocations = limit, .count = counting::exact}, [&] {
        for (;;) {  // up the hill
          auto const stack = shared.lock_or_repair([&](counted_stack& s) {
            s.clear();
            rebuilt.fetch_add(1);
          });
          if (!stack->is_whole()) seen_broken.fetch_add(1);
          if (stack->length() < 100) {
            stack->push();
          } else {
            stack->clear();
          }
        }
      });
      if (r) failed_early.fetch_add(1);
    }
  });
  CHECK(seen_broken == 0);
  CHECK(failed_early == 0);
  // Nearly every interrupt falls into a push; the last one's mark may be left.
  CHECK(rebuilt + shared.is_poisoned() == 4 * interrupts_per_thread);
  CHECK(shared.repair([](counted_stack& s) { s.clear(); }) ==
        (rebuilt != 4 * interrupts_per_thread));
  CHECK(shared.lock()->is_whole());
}

TEST_CASE("waiting: for a value, for a time, and not for ever if the value is marked",
          "[limits][poisonable]") {
  poisonable<int> shared{0};
  auto const is_one = [](int n) { return n == 1; };
  {
    auto locked = shared.lock();
    CHECK_FALSE(locked.wait_for(1ms, is_one));
    CHECK(locked.owns_lock());
  }
  std::thread setter([&] {
    *shared.lock() = 1;
    shared.notify_one();
  });
  {
    auto locked = shared.lock();
    locked.wait(is_one);
    CHECK(*locked == 1);
    CHECK(locked.wait_for(0ms, is_one));
  }
  setter.join();

  // Who was to notify is interrupted.
  *shared.lock() = 0;
  std::thread breaker([&] { shared.poison(); });
  auto locked = shared.lock_even_if_poisoned();
  CHECK_FALSE(locked.wait_for(1ms, is_one));  // who locks what is bad may wait in it
  locked.unlock();
  breaker.join();
  shared.clear_poison();
  std::thread late_breaker([&] {
    std::this_thread::sleep_for(5ms);
    shared.poison();
  });
  auto waiter = shared.lock();
  CHECK_THROWS_AS(waiter.wait(is_one), poisoned);
  CHECK_FALSE(waiter.owns_lock());
  late_breaker.join();
}

TEST_CASE("waiting ends by an interrupt, and marks nothing", "[limits][poisonable]") {
  exactly fixture;
  poisonable<int> shared{0};
  auto const never = [](int n) { return n == 1; };
  token stop;
  std::thread setter([&] {
    std::this_thread::sleep_for(5ms);
    stop.set();
  });
  auto const by_token = limit_with_token(stop, [&] { shared.lock().wait(never); });
  setter.join();
  CHECK_FALSE(by_token);
  CHECK_FALSE(shared.is_poisoned());
  auto const by_deadline = limit_time(5ms, [&] { shared.lock().wait_for(1h, never); });
  CHECK_FALSE(by_deadline);
  CHECK_FALSE(shared.is_poisoned());
  CHECK(shared.try_lock());

  // Where it cannot be raised, the wait continues to its own end.
  bool ended = true;
  auto const masked = limit_time(5ms, [&] {
    masked_scope const mask;
    ended = shared.lock().wait_for(30ms, never);
  });
  REQUIRE_FALSE(masked);
  CHECK(masked.error().kind() == limit_kind::deadline);
  CHECK(masked.error().deliveries() == 0);
  CHECK_FALSE(ended);
}

}  // namespace
}  // namespace memprof::test
