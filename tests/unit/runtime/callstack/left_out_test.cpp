// SPDX-License-Identifier: MIT
#include "callstack/left_out.hpp"

#include <array>
#include <cstdint>
#include <vector>

#include "support/catch2.hpp"

using namespace memprof::callstack;

namespace {

std::array<char, 256> code;

std::uintptr_t at(std::size_t offset) { return reinterpret_cast<std::uintptr_t>(&code[offset]); }

std::vector<std::uintptr_t> without(std::vector<std::uintptr_t> stack) {
  const auto rest = without_left_out(stack);
  return {rest.begin(), rest.end()};
}

}  // namespace

TEST_CASE("stacks lose the innermost frames that return into code that is left out") {
  const std::uintptr_t main = 0x1000;
  CHECK(without({at(11), main}) == std::vector{at(11), main});
  leave_out(&code[10], &code[20]);
  leave_out(&code[10], &code[20]);
  leave_out(&code[40], &code[50]);
  leave_out(&code[60], &code[60]);
  // A call is before the address that it returns to.
  CHECK(without({at(10), main}) == std::vector{at(10), main});
  CHECK(without({at(11), main}) == std::vector{main});
  CHECK(without({at(20), main}) == std::vector{main});
  CHECK(without({at(21), main}) == std::vector{at(21), main});
  CHECK(without({at(61), main}) == std::vector{at(61), main});
  // Several, of both ranges; but not those whose callee stays.
  CHECK(without({at(11), at(45), at(12), main}) == std::vector{main});
  CHECK(without({main, at(11), main}) == std::vector{main, at(11), main});
  CHECK(without({at(11), at(12)}).empty());
  CHECK(without({}).empty());
  // More ranges than are kept are ignored.
  for (std::size_t i = 0; i < 2 * most_left_out; ++i) leave_out(&code[100 + i], &code[101 + i]);
  CHECK(without({at(101), main}) == std::vector{main});
  CHECK(without({at(100 + 2 * most_left_out), main}).size() == 2);
  CHECK(without({at(45), main}) == std::vector{main});
}

TEST_CASE("stacks lose the caller of main, which is one of the outermost") {
  static std::array<char, 16> caller;
  const auto in_it = reinterpret_cast<std::uintptr_t>(&caller[5]);
  CHECK(without({7, in_it, 8}) == std::vector<std::uintptr_t>{7, in_it, 8});
  leave_out_caller_of_main(&caller.front(), &caller.back());
  CHECK(without({7, in_it, 8}) == std::vector<std::uintptr_t>{7, 8});
  CHECK(without({7, in_it, 8, 9, 10}) == std::vector<std::uintptr_t>{7, 8, 9, 10});
  CHECK(without({in_it}).empty());
  // Further inside it is somebody else, or a stack that was cut.
  CHECK(without({7, in_it, 8, 9, 10, 11}).size() == 6);
}
