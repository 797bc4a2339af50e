// SPDX-License-Identifier: MIT
//
// What an error's message calls the function that has the memory.
#include <string>
#include <utility>
#include <vector>

#include "memprof/memprof.hpp"

#include "support/allocate.hpp"
#include "support/catch2.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;

template <class T>
[[gnu::noinline]] void take_as() {
  void* volatile block = ::operator new(2 << 20);
  ::operator delete(block);
}

TEST_CASE("explain: the message names the function without the arguments of its template",
          "[limits][explain]") {
  exactly fixture;
  auto const r = run_limited({.memory = 1_MiB, .explain = 1},
                             [] { take_as<std::vector<std::pair<int, int>>>(); });
  REQUIRE_FALSE(r);
  std::string const message = r.error().message();
  CAPTURE(message);
  CHECK(message.find("take_as") != std::string::npos);
  CHECK(message.find("pair") == std::string::npos);
}

}  // namespace
}  // namespace memprof::test
