// SPDX-License-Identifier: MIT
//
// Boost.Asio: executors and coroutines under a budget (memprof/asio.hpp).
#include "memprof/asio.hpp"

#include <array>
#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/defer.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <cstddef>
#include <exception>
#include <future>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "memprof/memprof.hpp"

#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

namespace memprof::test {
namespace {

namespace asio = boost::asio;
using namespace memprof::literals;
using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;

using io_executor = asio::io_context::executor_type;
using pool_executor = asio::thread_pool::executor_type;

// What Asio asks of an executor.
template <class E>
constexpr bool conforms = asio::execution::is_executor<limited_executor<E>>::value&&
    std::is_convertible_v<limited_executor<E>, asio::any_io_executor>&&
        asio::can_require<limited_executor<E>, asio::execution::blocking_t::never_t>::value&&
            asio::can_query<limited_executor<E>, asio::execution::context_t>::value;
static_assert(conforms<io_executor>);
static_assert(conforms<pool_executor>);
static_assert(conforms<asio::strand<pool_executor>>);
static_assert(conforms<asio::any_io_executor>);
static_assert(asio::execution::is_executor<asio::strand<limited_executor<io_executor>>>::value);

TEST_CASE("executor: handlers are charged to their budget, by post, dispatch and defer",
          "[coroutines]") {
  exactly fixture;
  budget account({.allocations = 10_Mw});
  asio::io_context context;
  auto const limited = account.executor(context.get_executor());
  CHECK(limited == account.executor(context.get_executor()));
  CHECK(limited != budget({.allocations = 10_Mw}).executor(context.get_executor()));
  CHECK(&asio::query(limited, asio::execution::context) == &context);
  words const each = 5_kw;
  asio::post(limited, [&] { churn(each); });
  asio::dispatch(limited, [&] { churn(each); });
  asio::defer(limited, [&] { churn(each); });
  asio::post(asio::make_strand(limited), [&] { churn(each); });
  asio::post(asio::any_io_executor(limited), [&] { churn(each); });
  asio::post(account.executor(asio::make_strand(context)), [&] { churn(each); });
  asio::post(context, [&] { churn(each); });  // not under it
  context.run();
  CHECK(account.allocated() >= bytes{6 * each});
  CHECK(account.allocated() <= bytes{6 * each + 200_w});  // and what the strand's queue took
}

TEST_CASE("executor: an interrupt ends its handler only, another exception leaves run()",
          "[coroutines]") {
  exactly fixture;
  budget account({.allocations = 10_kw, .count = counting::exact});
  asio::io_context context;
  bool after = false;
  asio::post(account.executor(context.get_executor()), [] { churn(1_Mw); });
  asio::post(context, [&] { after = true; });
  context.run();
  CHECK(after);
  REQUIRE(account.interruption().has_value());
  CHECK(account.interruption()->kind() == limit_kind::allocations);

  context.restart();
  asio::post(budget({}).executor(context.get_executor()), [] { throw std::logic_error("mine"); });
  CHECK_THROWS_AS(context.run(), std::logic_error);
}

/// Keeps blocks, and hops to another thread between them.
awaitable<void> keep_and_hop(holder& kept, int parts, words each) {
  auto const executor = co_await asio::this_coro::executor;
  for (int i = 0; i < parts; ++i) {
    kept.fill(kept.held() + each, 4088);
    co_await asio::post(executor, use_awaitable);
  }
}

TEST_CASE("coroutines of Asio that interleave on two threads are each charged exactly",
          "[coroutines]") {
  exactly fixture;
  std::array<words, 2> const each{512_w, 1536_w};  // whole blocks
  std::array<budget, 2> budgets{budget({.memory = 100_Mw}), budget({.memory = 100_Mw})};
  std::array<holder, 2> kept;
  constexpr int parts = 300;
  {
    asio::thread_pool pool(2);
    for (std::size_t i = 0; i < 2; ++i) {
      asio::co_spawn(budgets[i].executor(pool.get_executor()),
                     keep_and_hop(kept[i], parts, each[i]), asio::detached);
    }
    pool.join();
  }
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(kept[i].held() == each[i] * parts);
    CHECK(budgets[i].live().value == bytes{kept[i].held()});  // Asio's own blocks are gone
    CHECK_FALSE(budgets[i].interruption().has_value());
  }
}

awaitable<std::string> repeat(std::size_t parts) {
  auto const executor = co_await asio::this_coro::executor;
  std::string text;
  for (std::size_t i = 0; i < parts; ++i) {
    text.append(100, 'x');
    std::vector<std::string> const scratch(3, text);
    co_await asio::post(executor, use_awaitable);
  }
  co_return text;
}

/// Runs `l` around repeat(parts) on an io_context; nullopt if nobody was told how it ended.
std::optional<result<counted<std::string>>> run_repeat(limits const& l, std::size_t parts) {
  asio::io_context context;
  std::optional<result<counted<std::string>>> seen;
  asio::co_spawn(
      context,
      [&]() -> awaitable<void> {
        seen.emplace(co_await co_run_limited(l, [parts] { return repeat(parts); }));
      },
      asio::detached);
  context.run();
  return seen;
}

TEST_CASE("co_run_limited: value, count, error", "[coroutines]") {
  exactly fixture;
  auto const good = run_repeat({.memory = 1_MiB}, 20);
  REQUIRE(good.has_value());
  REQUIRE(good->has_value());
  CHECK((*good)->value == std::string(2000, 'x'));
  CHECK((*good)->allocated > bytes{20 * 2000 * 3 / 2});
  auto const bad = run_repeat({.memory = 16_KiB}, 1000);
  REQUIRE(bad.has_value());
  REQUIRE_FALSE(bad->has_value());
  CHECK(bad->error().kind() == limit_kind::memory);
  CHECK(bad->error().deliveries() == 1);
  auto const late = run_repeat({.deadline = std::chrono::steady_clock::now() + 30ms}, 100'000'000);
  REQUIRE(late.has_value());
  REQUIRE_FALSE(late->has_value());
  CHECK(late->error().kind() == limit_kind::deadline);
  token stop;
  stop.set();
  auto const never = run_repeat({.token = stop}, 100'000'000);
  REQUIRE(never.has_value());
  CHECK_FALSE(never->has_value());
}

TEST_CASE("co_run_limited: wherever the limit is hit, the one that awaits goes on",
          "[coroutines]") {
  exactly fixture;
  limits l{.allocations = max_allocation_limit, .count = counting::exact};
  auto const all = run_repeat(l, 5);
  REQUIRE(all->has_value());
  std::size_t errors = 0;
  words const most = floor_to_words((*all)->allocated) + 100_w;
  for (words limit{}; limit <= most; limit += 1_w) {
    l.allocations = limit;
    auto const seen = run_repeat(l, 5);
    REQUIRE(seen.has_value());
    errors += !seen->has_value();
  }
  CHECK(errors > 1000);
  l.allocations = most * 2;
  CHECK(run_repeat(l, 5)->has_value());
}

TEST_CASE("co_run_limited: a task within a task is charged to both", "[coroutines]") {
  exactly fixture;
  asio::io_context context;
  std::optional<limit_kind> inner, outer;
  bool went_on = false;
  asio::co_spawn(
      context,
      [&]() -> awaitable<void> {
        auto const r = co_await co_run_limited({.memory = 1_MiB}, [&]() -> awaitable<void> {
          auto const small =
              co_await co_run_limited({.memory = 10_KiB}, [] { return repeat(300); });
          if (!small) inner = small.error().kind();
          went_on = true;
          static_cast<void>(
              co_await co_run_limited({.memory = 1_GiB}, [] { return repeat(30'000); }));
        });
        if (!r) outer = r.error().kind();
      },
      asio::detached);
  context.run();
  CHECK(inner == limit_kind::memory);
  CHECK(went_on);
  CHECK(outer == limit_kind::memory);
}

TEST_CASE("co_run_limited: its own exceptions leave unchanged", "[coroutines]") {
  exactly fixture;
  asio::io_context context;
  bool seen = false;
  asio::co_spawn(
      context,
      [&]() -> awaitable<void> {
        try {
          static_cast<void>(co_await co_run_limited({.memory = 1_MiB}, []() -> awaitable<int> {
            throw std::logic_error("mine");
            co_return 1;
          }));
        } catch (std::logic_error const&) {
          seen = true;
        }
      },
      asio::detached);
  context.run();
  CHECK(seen);
}

}  // namespace
}  // namespace memprof::test
