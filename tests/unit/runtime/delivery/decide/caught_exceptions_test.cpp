// SPDX-License-Identifier: MIT
#include "delivery/decide/caught_exceptions.hpp"

#include <atomic>
#include <cstdlib>
#include <exception>
#include <pthread.h>
#include <unistd.h>
#include <unwind.h>

#include "support/catch2.hpp"

using memprof::delivery::holds_foreign_exception;

TEST_CASE("exceptions in hand: none, a C++ one, a stored one thrown again") {
  CHECK_FALSE(holds_foreign_exception());
  bool inside = true;
  std::exception_ptr kept;
  try {
    throw 1;
  } catch (...) {
    inside = holds_foreign_exception();
    kept = std::current_exception();
  }
  CHECK_FALSE(inside);
  try {
    std::rethrow_exception(kept);
  } catch (...) {
    inside = holds_foreign_exception();
  }
  CHECK_FALSE(inside);
}

TEST_CASE("exceptions in hand: another language's") {
  static _Unwind_Exception foreign{};
  foreign.exception_class = 0x464f524549474e00;  // "FOREIGN"
  foreign.exception_cleanup = [](_Unwind_Reason_Code, _Unwind_Exception*) {};
  bool inside = false;
  bool nested = true;
  try {
    _Unwind_RaiseException(&foreign);
  } catch (...) {
    inside = holds_foreign_exception();
    try {
      throw 1;
    } catch (int) {
      nested = holds_foreign_exception();
    }
  }
  CHECK(inside);
  CHECK_FALSE(nested);
}

TEST_CASE("exceptions in hand: the forced unwinding of a cancelled thread") {
  static std::atomic<int> seen{-1};
  pthread_t thread;
  REQUIRE(pthread_create(
              &thread, nullptr,
              [](void*) -> void* {
                try {
                  pthread_exit(nullptr);
                } catch (...) {
                  seen = holds_foreign_exception() ? 1 : 0;
                  throw;
                }
              },
              nullptr) == 0);
  pthread_join(thread, nullptr);
  CHECK(seen == 1);
}
