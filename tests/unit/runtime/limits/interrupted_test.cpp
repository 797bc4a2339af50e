// SPDX-License-Identifier: MIT
#include "memprof/interrupted.hpp"

#include <exception>
#include <stdexcept>
#include <string>

#include "support/catch2.hpp"

using namespace memprof;
using detail::interrupt_record;
using detail::make_interrupted;

namespace {
std::string message(interrupt_record r) { return make_interrupted(std::move(r)).message(); }
std::exception_ptr some_exception() { return std::make_exception_ptr(std::runtime_error("x")); }
}  // namespace

TEST_CASE("interrupted: the message has the limit, the amounts, and how the task ended") {
  CHECK(message({.kind = limit_kind::memory,
                 .limit = 64 << 20,
                 .measured = 3 << 29,
                 .deliveries = 1,
                 .exception = some_exception()}) ==
        "memory limit of 64 MiB reached, measured 1.5 GiB");
  CHECK(message({.kind = limit_kind::allocations,
                 .limit = 300,
                 .measured = 308,
                 .deliveries = 2,
                 .exception = nullptr}) ==
        "allocations limit of 300 B reached, measured 308 B; the task returned normally; raised 2 "
        "times");
  CHECK(message({.kind = limit_kind::global_memory,
                 .limit = 1024,
                 .measured = 2048,
                 .deferrals = 3,
                 .last_deferral = "under a noexcept function or destructor",
                 .exception = nullptr}) ==
        "global memory limit of 1 KiB reached, measured 2 KiB; never delivered; deferred 3 times, "
        "last under a noexcept function or destructor");
}

TEST_CASE("interrupted: what happened once is said to have happened once") {
  CHECK(message({.kind = limit_kind::memory,
                 .limit = 1024,
                 .measured = 2048,
                 .deferrals = 1,
                 .refusals = 1,
                 .last_deferral = "while another exception is in flight",
                 .exception = nullptr}) ==
        "memory limit of 1 KiB reached, measured 2 KiB; never delivered; deferred once, last while "
        "another exception is in flight; malloc refused once");
}

TEST_CASE("interrupted: tokens have a reason, deadlines times, and some tasks are not run") {
  CHECK(message({.kind = limit_kind::token,
                 .deliveries = 1,
                 .reason = "shutdown",
                 .exception = some_exception()}) == "token set (shutdown)");
  CHECK(message({.kind = limit_kind::token, .started = false, .exception = nullptr}) ==
        "token set; the task was not run");
  CHECK(message({.kind = limit_kind::deadline,
                 .limit = 250'000'000,
                 .measured = 1'250'000'000,
                 .deliveries = 1,
                 .exception = some_exception()}) == "deadline of 250 ms passed, after 1.25 s");
  CHECK(message({.kind = limit_kind::deadline,
                 .limit = 1'000'000,
                 .measured = 1'000'000'000,
                 .deliveries = 1,
                 .exception = some_exception()}) == "deadline of 1 ms passed, after 1 s");
  CHECK(message({.kind = limit_kind::memory,
                 .limit = 1023,
                 .measured = 1024,
                 .deliveries = 1,
                 .exception = some_exception()}) ==
        "memory limit of 1023 B reached, measured 1 KiB");
  CHECK(message({.kind = limit_kind::deadline,
                 .limit = 20'000,
                 .started = false,
                 .exception = nullptr}) == "deadline of 20 us passed; the task was not run");
}

TEST_CASE("interrupted: amounts are bytes for amounts, and zero for a token and a deadline") {
  interrupted const memory = make_interrupted(
      {.kind = limit_kind::memory, .limit = 7, .measured = 9, .exception = nullptr});
  CHECK(memory.limit() == bytes{7});
  CHECK(memory.measured() == bytes{9});
  interrupted const deadline = make_interrupted(
      {.kind = limit_kind::deadline, .limit = 7, .measured = 9, .exception = nullptr});
  CHECK(deadline.limit() == bytes{0});
  CHECK(deadline.measured() == bytes{0});
}
