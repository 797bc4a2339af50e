// SPDX-License-Identifier: MIT
//
// Limits on tasks that spend their time in the standard library's streams and futures, whose
// handlers take an exception for an error of the stream.
#include <chrono>
#include <future>
#include <ostream>
#include <sstream>
#include <streambuf>
#include <string>
#include <vector>

#include "memprof/memprof.hpp"

#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;
using namespace std::chrono_literals;

/// Its buffer doubles: the 64th refusal would come after 2^64 bytes.
[[gnu::noinline]] void write_for_ever(std::ostringstream& out) {
  while (out) out << "sixteen letters ";
  for (;;) churn(1_kw);  // swallowed, and the task goes on
}

TEST_CASE("a stream that grows for ever is stopped within twice its limit", "[limits][streams]") {
  exactly fixture;
  for (auto const limit : {1_MiB, 3_MiB, 16_MiB, 50_MiB}) {
    std::ostringstream out;
    auto const memory = limit_memory(limit, [&] { write_for_ever(out); });
    REQUIRE_FALSE(memory);
    CAPTURE(limit, memory.error().message());
    CHECK(memory.error().kind() == limit_kind::memory);
    CHECK(memory.error().deliveries() == 1);
    CHECK(memory.error().deferrals() <= 1);
    CHECK(memory.error().measured() <= 2 * limit);
    CHECK(out.bad());

    std::ostringstream again;
    auto const allocations = run_limited({.allocations = limit, .count = counting::exact},
                                         [&] { write_for_ever(again); });
    REQUIRE_FALSE(allocations);
    CHECK(allocations.error().measured() <= 2 * limit);
    CHECK(bytes{static_cast<std::int64_t>(again.str().size())} <= limit);
  }
}

TEST_CASE("a token or deadline stops it before it doubles twice", "[limits][streams]") {
  exactly fixture;
  std::ostringstream out;
  token stop;
  auto const cancelled = limit_with_token(stop, [&] {
    out << std::string(10'000'000, 'x');
    stop.set();
    write_for_ever(out);
  });
  REQUIRE_FALSE(cancelled);
  CHECK(cancelled.error().deliveries() == 1);
  CHECK(out.str().size() < 40'000'000);

  std::ostringstream late;
  auto const overdue = limit_time(20ms, [&] { write_for_ever(late); });
  REQUIRE_FALSE(overdue);
  CAPTURE(overdue.error().message());
  CHECK(overdue.error().deliveries() == 1);
}

#ifdef __GLIBCXX__  // libc++ has no handlers that pass it on

TEST_CASE("the interrupt comes out of the stream", "[limits][streams]") {
  exactly fixture;
  std::ostringstream out;
  bool went_on = false;
  auto const r = limit_memory(1_MiB, [&] {
    while (out) out << "sixteen letters ";
    went_on = true;
  });
  REQUIRE_FALSE(r);
  CHECK_FALSE(went_on);
  CHECK_THROWS_AS(std::rethrow_exception(r.error().exception()), limit_exceeded);
}

// It waits for the end of the file, and a bad stream is never there.
TEST_CASE("a reader that loops until eof does not hang", "[limits][streams]") {
  exactly fixture;
  std::istringstream in(std::string(40'000'000, 'x') + "\n");
  std::string line;
  auto const r = limit_memory(1_MiB, [&] {
    while (!in.eof()) std::getline(in, line);
  });
  REQUIRE_FALSE(r);
  CHECK(in.bad());
}

TEST_CASE("handler_policy::defer goes through a stream, which does not swallow",
          "[limits][streams]") {
  exactly fixture;
  std::ostringstream out;
  auto const r = run_limited({.memory = 1_MiB, .handlers = handler_policy::defer},
                             [&] { write_for_ever(out); });
  REQUIRE_FALSE(r);
  CHECK(r.error().deliveries() == 1);
}

/// Takes one block for all that is written to it.
class allocating_buffer : public std::streambuf {
 public:
  explicit allocating_buffer(words block) : size_(block_size(block)) {}

 private:
  static std::size_t block_size(words block) {
    return (static_cast<std::size_t>(block.count()) - 1) * 8;
  }
  std::streamsize xsputn(char const*, std::streamsize n) override {
    release(allocate(size_), size_);
    return n;
  }

  std::size_t size_;
};

TEST_CASE("within a stream a task gets as much again as its limit, and no word more",
          "[limits][streams]") {
  exactly fixture;
  constexpr words limit = 64_kw;
  for (auto const more : {words{0}, words{1}}) {
    allocating_buffer buffer(limit + more);
    std::ostream out(&buffer);
    auto const r = run_limited({.allocations = limit, .count = counting::exact}, [&] {
      churn(1_kw);
      out << "all of it";
    });
    CAPTURE(more.count());
    REQUIRE_FALSE(r);
    CHECK(out.good() == (more == words{0}));
    CHECK(r.error().deferrals() == (more == words{0} ? 1 : 0));
    CHECK(r.error().deliveries() == (more == words{0} ? 0 : 1));
  }
}

[[gnu::noinline]] std::size_t sum_of_blocks() {
  std::vector<std::string> all;
  for (int n = 0; n < 10'000; ++n) all.emplace_back(10'000, 'x');
  return all.size();
}

TEST_CASE("a future does not store the interrupt for others", "[limits][futures]") {
  exactly fixture;
  auto const lazy = std::async(std::launch::deferred, sum_of_blocks).share();
  auto const r = limit_memory(1_MiB, [&] { return lazy.get(); });
  REQUIRE_FALSE(r);
  CHECK(r.error().deliveries() == 1);
  CHECK(lazy.get() == 10'000);

  std::future<std::size_t> result;
  {
    std::packaged_task<std::size_t()> task(sum_of_blocks);
    result = task.get_future();
    CHECK_FALSE(limit_memory(1_MiB, [&] { task(); }));
  }
  CHECK_THROWS_AS(result.get(), std::future_error);  // a broken promise
}

#endif

TEST_CASE("a stream that is soon done with keeps working", "[limits][streams]") {
  exactly fixture;
  std::ostringstream log;
  token stop;
  auto const r = limit_with_token(stop, [&] {
    stop.set();
    log << "one line, too long for the first buffer of a stream, which takes half a KiB at once\n";
    churn(1_Mw);  // raised here, where nothing is broken
  });
  REQUIRE_FALSE(r);
  CHECK(r.error().deliveries() == 1);
  CHECK(r.error().deferrals() >= 1);
  CHECK(log.good());
}

TEST_CASE("message() says how far a task went on", "[limits][streams]") {
  exactly fixture;
  auto const r = run_limited({.allocations = 8_kw, .count = counting::exact}, [] {
    const masked_scope masked;
    churn(128_kw);
  });
  REQUIRE_FALSE(r);
  CHECK(r.error().overshoot() >= 119_kw);
  CHECK(r.error().overshoot() <= 121_kw);
  CHECK_THAT(r.error().message(), Catch::Matchers::ContainsSubstring("; allocated 9"));
  CHECK_THAT(r.error().message(), Catch::Matchers::ContainsSubstring("KiB afterwards"));
}

}  // namespace
}  // namespace memprof::test
