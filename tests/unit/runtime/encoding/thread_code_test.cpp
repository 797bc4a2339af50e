// SPDX-License-Identifier: MIT
#include "encoding/thread_code.hpp"

#include <vector>

#include "support/catch2.hpp"

using namespace memprof::encoding;
using memprof::trace::location;

namespace {

constexpr std::uint32_t most = 0xffff'ffff;

std::vector<location> named(std::string_view text, std::string_view file = thread_file) {
  return {{.filename = file, .defname = text, .line = 0, .start_char = 0, .end_char = 0}};
}

}  // namespace

TEST_CASE("thread_code: codes of threads, and their neighbours") {
  for (const std::uint32_t naming : {0u, most_namings - 1}) {
    for (const std::uint32_t number : {1u, most}) {
      CHECK(is_thread_code(thread_code(number, naming)));
      CHECK(thread_number(thread_code(number, naming)) == number);
    }
  }
  CHECK(is_thread_code(first_thread_code));
  CHECK_FALSE(is_thread_code(first_thread_code - 1));
  CHECK(is_thread_code(behind_thread_codes - 1));
  CHECK_FALSE(is_thread_code(behind_thread_codes));
  CHECK_FALSE(is_thread_code(0));
  CHECK_FALSE(is_thread_code(0x7fff'ffff'f000));
}

TEST_CASE("thread_code: a thread is what its location says") {
  const auto code = thread_code(7, 0);
  const auto found = thread_of(code, named("a worker 1234"));
  REQUIRE(found);
  CHECK(found->number == 7);
  CHECK(found->id == 1234);
  CHECK(found->name == "a worker");
}

TEST_CASE("thread_code: other locations name no thread") {
  const auto code = thread_code(7, 0);
  CHECK_FALSE(thread_of(thread_code(0, 0), named("worker 1")));
  CHECK_FALSE(thread_of(behind_thread_codes + 7, named("worker 1")));
  CHECK_FALSE(thread_of(code, {}));
  CHECK_FALSE(thread_of(code, named("worker 1", "worker.cpp")));
  CHECK_FALSE(thread_of(code, named("worker")));
  CHECK_FALSE(thread_of(code, named("worker ")));
  CHECK_FALSE(thread_of(code, named("worker 1x")));
  std::vector<location> two = named("worker 1");
  two.push_back(two.front());
  CHECK_FALSE(thread_of(code, two));
}
