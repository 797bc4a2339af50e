// SPDX-License-Identifier: MIT
//
// docs/recovering.md: coroutines.
#include "memprof/coroutine.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "memprof/asio.hpp"

#include "recovering/exactly.hpp"
#include "support/catch2.hpp"

namespace recovering {
namespace {

using namespace memprof::literals;

// [generator]
class lines {
 public:
  struct promise_type {
    std::string value;
    lines get_return_object() { return lines(handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(std::string line) {
      value = std::move(line);
      return {};
    }
    void return_void() {}
    void unhandled_exception() { throw; }  // out of resume(), to who asked for the line
  };
  using handle = std::coroutine_handle<promise_type>;

  explicit lines(handle h) : coroutine_(h) {}
  ~lines() { coroutine_.destroy(); }
  lines(lines const&) = delete;
  lines& operator=(lines const&) = delete;

  std::size_t next() {
    coroutine_.resume();
    return coroutine_.promise().value.size();
  }
  bool done() const { return coroutine_.done(); }

 private:
  handle coroutine_;
};

lines ever_longer() {
  for (std::size_t length = 1000;; length *= 10) co_yield std::string(length, 'x');
}
// [/generator]

TEST_CASE("a coroutine is charged to whoever resumes it", "[recovering]") {
  // [resume]
  lines l = ever_longer();
  CHECK(exactly(10_KiB, [&] { return l.next(); })->value == 1000);
  CHECK(exactly(100_KiB, [&] { return l.next(); })->value == 10'000);
  CHECK_FALSE(exactly(10_KiB, [&] { return l.next(); }));
  CHECK(l.done());  // the exception ended it: never resume it again
  // [/resume]
}

// [promise]
struct job {
  struct promise_type : memprof::under_current_budget {
    job get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept {}  // the budget knows of an interrupt
  };
};
// [/promise]

/// Resumed by hand, as an event loop would.
struct event {
  std::coroutine_handle<> waiting;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> by) noexcept { waiting = by; }
  void await_resume() const noexcept {}
};

TEST_CASE("a coroutine under the budget in which it was made", "[recovering]") {
  event data;
  // [hops]
  const auto read_all = [&]() -> job {
    std::string text;
    while (true) {
      co_await data;
      text.append(10'000, 'x');
    }
  };
  memprof::budget request({.memory = 1_MiB});
  request.handle().resume([&] { read_all(); });
  while (!request.interruption()) {
    std::jthread([&] { data.waiting.resume(); });  // on whatever thread: it is charged to `request`
  }
  CHECK(request.interruption()->kind() == memprof::limit_kind::memory);
  // [/hops]
}

namespace asio = boost::asio;

asio::awaitable<std::size_t> handle(std::size_t size) {
  const auto executor = co_await asio::this_coro::executor;
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < size; ++i) {
    lines.emplace_back(1000, 'x');
    co_await asio::post(executor, asio::use_awaitable);  // goes on on any thread of the pool
  }
  co_return lines.size();
}

TEST_CASE("a request of a server with Boost.Asio", "[recovering]") {
  asio::thread_pool pool(2);
  // [asio]
  const auto serve = [](std::size_t size) -> asio::awaitable<std::string> {
    memprof::limits limits{.memory = 1_MiB,
                           .deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1)};
    auto r = co_await memprof::co_run_limited(limits, [size] { return handle(size); });
    if (!r) co_return r.error().message();
    co_return std::to_string(r->value) + " lines";
  };
  auto good = asio::co_spawn(pool, serve(100), asio::use_future);
  auto runaway = asio::co_spawn(pool, serve(1'000'000), asio::use_future);
  CHECK(good.get() == "100 lines");
  CHECK(runaway.get().starts_with("memory limit of 1 MiB reached"));
  // [/asio]
  // [executor]
  memprof::budget background({.memory = 1_MiB});
  std::string thumbnail;
  asio::post(background.executor(pool.get_executor()), [&] { thumbnail.assign(10'000'000, 'x'); });
  pool.join();
  CHECK(background.interruption());
  // [/executor]
}

}  // namespace
}  // namespace recovering
