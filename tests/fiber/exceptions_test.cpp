// SPDX-License-Identifier: MIT
// Exceptions belong to a flow of control: a task paused in a handler, or while one is in flight,
// keeps its own.
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "memprof/fiber.hpp"
#include "memprof/memprof.hpp"

#include "support/allocate.hpp"
#include "support/catch2.hpp"

using namespace memprof;
using namespace memprof::test;

namespace {

std::string current_message() {
  try {
    throw;
  } catch (std::exception const& e) {
    return e.what();
  }
}

/// Pauses in a handler, and then says which exception is the current one.
std::string handle(char const* what) {
  try {
    throw std::runtime_error(what);
  } catch (...) {
    pause_point();
    return current_message();
  }
}

/// Pauses while an exception is in flight.
struct pauses_at_its_end {
  int& uncaught;
  ~pauses_at_its_end() {
    pause_point();
    uncaught = std::uncaught_exceptions();
  }
};

}  // namespace

TEST_CASE("exceptions: two tasks paused in handlers keep their own, the monitor its own") {
  task a{limits{}, [] { return handle("a"); }};
  task b{limits{}, [] { return handle("b"); }};
  REQUIRE(a.resume() == task_state::paused);
  CHECK(std::current_exception() == nullptr);
  REQUIRE(b.resume() == task_state::paused);
  std::string own;
  try {
    throw std::runtime_error("monitor");
  } catch (...) {
    a.resume();  // first in, first out: a thread's stack of exceptions would be wrong now
    b.resume();
    own = current_message();
  }
  CHECK(own == "monitor");
  CHECK(a.result()->value == "a");
  CHECK(b.result()->value == "b");
  CHECK(std::current_exception() == nullptr);
}

TEST_CASE("exceptions: paused during unwinding, the monitor has none in flight") {
  int in_task = -1;
  std::string caught;
  task t{limits{}, [&] {
           try {
             const pauses_at_its_end object{in_task};
             throw std::runtime_error("in flight");
           } catch (std::exception const& e) {
             caught = e.what();
           }
         }};
  REQUIRE(t.resume() == task_state::paused);
  CHECK(std::uncaught_exceptions() == 0);
  REQUIRE(t.resume() == task_state::finished);
  CHECK(in_task == 1);
  CHECK(caught == "in flight");
}

TEST_CASE("exceptions: resumed in a destructor during the monitor's unwinding") {
  int in_task = -1;
  task t{limits{}, [&] {
           in_task = std::uncaught_exceptions();
           const auto r = limit_allocations(0_B, [] { churn(1_Mw); });
           return !r;
         }};
  struct resumes_at_its_end {
    task<bool>& t;
    ~resumes_at_its_end() { t.resume(); }
  };
  try {
    const resumes_at_its_end object{t};
    throw 1;
  } catch (int) {
  }
  CHECK(in_task == 0);
  CHECK(t.result()->value);
}

TEST_CASE("exceptions: paused in a comparator that C code calls") {
  std::vector<int> numbers;
  for (int i = 0; i < 200; ++i) numbers.push_back((i * 37) % 200);
  task t{limits{.allocations = 80_w, .count = counting::exact}, [&] {
           std::qsort(numbers.data(), numbers.size(), sizeof(int),
                      [](void const* a, void const* b) {
                        release(allocate(small_block), small_block);
                        return *static_cast<int const*>(a) - *static_cast<int const*>(b);
                      });
         }};
  int pauses = 0;
  while (t.resume() == task_state::paused) ++pauses;
  CHECK(pauses > 100);
  for (int i = 0; i < 200; ++i) CHECK(numbers[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("exceptions: errno of task and monitor are apart") {
  int seen = 0;
  task t{limits{}, [&] {
           errno = 5;
           pause_point();
           seen = errno;
         }};
  errno = 7;
  t.resume();
  CHECK(errno == 7);
  errno = 9;
  t.resume();
  CHECK(errno == 9);
  CHECK(seen == 5);
}
