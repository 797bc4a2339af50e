// SPDX-License-Identifier: MIT
// What a report prints, of failures that are made up.
#include <cstdint>
#include <string>
#include <utility>

#include "memprof/testing.hpp"

#include "support/catch2.hpp"

using namespace memprof::testing;

namespace {

stack_frame frame(std::string function, std::string module, std::uintptr_t offset) {
  stack_frame f;
  f.address = reinterpret_cast<void*>(0x1234);
  f.function = std::move(function);
  f.module = std::move(module);
  f.offset = offset;
  return f;
}

/// The line of a frame in the message.
std::string line_of(stack_frame at) {
  interrupt_failure failure;
  failure.ordinal = 1;
  failure.what = failure_kind::check_failed;
  failure.stack.push_back(std::move(at));
  interrupt_report report;
  report.first_failure = failure;
  report.failures.push_back(failure);
  const std::string message = report.message();
  const std::size_t begin = message.find("#0 ");
  REQUIRE(begin != std::string::npos);
  return message.substr(begin + 3, message.find('\n', begin) - begin - 3);
}

std::string shortened(std::string function) {
  const std::string line = line_of(frame(std::move(function), "m", 0x10));
  REQUIRE(line.ends_with("  [m+0x10]"));
  return line.substr(0, line.size() - 10);
}

}  // namespace

TEST_CASE("report: a frame has its function, and its place for addr2line", "[testing]") {
  CHECK(line_of(frame("shop::serve()", "/srv/bin/shop", 0x4711)) == "shop::serve()  [shop+0x4711]");
  CHECK(line_of(frame("f()", "shop", 0x1)) == "f()  [shop+0x1]");
  CHECK(line_of(frame("", "/lib/libc.so.6", 0xab)) == "?  [libc.so.6+0xab]");
  CHECK(line_of(frame("", "", 0)) == "?  [0x1234]");
}

TEST_CASE("report: names lose what stands in their templates, and nothing else", "[testing]") {
  CHECK(shortened("plain(int, char)") == "plain(int, char)");
  CHECK(shortened("map<int, list<char>>::find(int const&)") == "map<...>::find(int const&)");
  CHECK(shortened("std::function<auto (int) -> long>::operator()(int) const") ==
        "std::function<...>::operator()(int) const");
  CHECK(shortened("run<f<int>::g>(a<b>)") == "run<...>(a<...>)");
  CHECK(shortened("shared_ptr<shop>::operator->() const") == "shared_ptr<...>::operator->() const");
  CHECK(shortened("bool operator< (path, path)") == "bool operator< (path, path)");
  CHECK(shortened("std::ostream& operator<< (std::ostream&, int)") ==
        "std::ostream& operator<< (std::ostream&, int)");
  CHECK(shortened(std::string(160, 'x')) == std::string(160, 'x'));
  CHECK(shortened(std::string(161, 'x')) == std::string(160, 'x') + "...");
}

TEST_CASE("report: the numbers of points, runs and what became of them", "[testing]") {
  interrupt_report report;
  report.points = 1;
  report.tried = 1;
  report.delivered = 1;
  CHECK(report.message() == "interruption test: 1 point, 1 run: 1 delivered, 0 deferred");
  report.points = 9;
  report.tried = 7;
  report.delivered = 3;
  report.deferred = 4;
  report.late = 1;
  report.unreached = 1;
  report.left_out = 2;
  CHECK(report.message() ==
        "interruption test: 9 points, 7 runs: 3 delivered, 4 deferred (1 to a later point, 3 to "
        "the end), 1 not reached; 2 points left out");
}

TEST_CASE("report: the failures after the first, by kind, twelve of each", "[testing]") {
  interrupt_report report;
  for (std::uint64_t i = 1; i <= 14; ++i) {
    interrupt_failure failure;
    failure.ordinal = i;
    failure.what = failure_kind::leak;
    report.failures.push_back(failure);
    if (i == 1) report.first_failure = failure;
    if (i == 2) {
      failure.what = failure_kind::check_failed;
      report.failures.push_back(failure);
      CHECK(
          report.message().ends_with("\n  failed at 1 more point: the check returned false: 2"
                                     "\n  failed at 1 more point: memory was left behind: 2"));
    }
    if (i == 13) {
      CHECK(
          report.message().ends_with("\n  failed at 12 more points: memory was left behind: "
                                     "2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13"));
    }
  }
  CHECK(
      report.message().ends_with("\n  failed at 13 more points: memory was left behind: "
                                 "2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, ..."));
}
