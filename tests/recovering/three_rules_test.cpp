// SPDX-License-Identifier: MIT
//
// docs/recovering.md: do not look at the exception, and let it through.
#include <chrono>
#include <cstddef>
#include <exception>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "recovering/exactly.hpp"
#include "support/catch2.hpp"

namespace recovering {
namespace {

using namespace memprof::literals;
using namespace std::chrono_literals;

// [replaced]
std::vector<int> load(std::string const& name, std::size_t length) {
  try {
    return std::vector<int>(length);
  } catch (std::exception const&) {
    throw std::runtime_error("cannot load " + name);
  }
}
// [/replaced]

TEST_CASE("the interrupt was replaced on its way: the flag tells, not the exception",
          "[recovering]") {
  // [replaced_use]
  auto r = memprof::limit_allocations(1_MiB, [] { return load("the mesh", 25'000'000); });
  CHECK_FALSE(r);
  CHECK(r.error().kind() == memprof::limit_kind::allocations);
  CHECK_THROWS_AS(std::rethrow_exception(r.error().exception()), std::runtime_error);
  // [/replaced_use]
  // Without a limit that was hit, the same exception is the task's own.
  CHECK_THROWS_AS(memprof::limit_allocations(1_MiB, [] { return load("it", std::size_t(-1) / 4); }),
                  std::runtime_error);
}

TEST_CASE("who swallows the interrupt gets it again, and cannot win", "[recovering]") {
  // [swallowed]
  auto r = memprof::limit_allocations(1_MiB, [] {
    std::size_t pages = 0;
    while (pages < 1000) {
      try {
        ++pages;
        load("a page", 25'000);
      } catch (...) {
        // never mind, on to the next page
      }
    }
    return pages;
  });
  CHECK_FALSE(r);  // although it returned 1000
  CHECK(r.error().deliveries() > 1);
  // [/swallowed]
  CHECK(r.error().exception() == nullptr);
}

struct fake_plugin {
  std::size_t length;
  bool fails;
  void run() const {
    load("a plug-in", length);
    if (fails) throw std::runtime_error("a bug in the plug-in");
  }
};

TEST_CASE("a loop that survives failures lets interrupts through", "[recovering]") {
  std::vector<fake_plugin> const plugins{{10, true}, {10, false}, {25'000'000, false}, {10, true}};
  int failures = 0;
  // [catch_all]
  auto r = memprof::limit_allocations(1_MiB, [&] {
    for (auto const& plugin : plugins) {
      memprof::catch_all([&] { plugin.run(); },  //
                         [&] { ++failures; });
    }
  });
  CHECK_FALSE(r);
  CHECK(failures == 1);  // the first one's; the third was interrupted, the fourth not begun
  // [/catch_all]
  CHECK(r.error().deliveries() == 1);
}

// [fallback]
std::vector<char> as_much_as_there_is(std::size_t size) {
  for (std::vector<char> buffer;; size /= 2) {
    try {
      buffer.reserve(size);
      return buffer;
    } catch (std::bad_alloc const&) {
      if (memprof::is_interrupted() || size < 1000) throw;
    }
  }
}
// [/fallback]

TEST_CASE("code that makes do with less asks why it gets less", "[recovering]") {
  auto const r = memprof::limit_allocations(1_MiB, [] { return as_much_as_there_is(100'000'000); });
  REQUIRE_FALSE(r);
  CHECK(r.error().deliveries() == 1);
  CHECK(as_much_as_there_is(std::size_t{1} << 60).capacity() > 1000);
}

TEST_CASE("work that does not allocate looks up by itself", "[recovering]") {
  // [cancellation_point]
  auto r = memprof::limit_time(20ms, [] {
    for (unsigned long sum = 0, i = 0;; ++i) {
      sum = std::gcd(sum + 6, i + 9);
      if (i % 1024 == 0) memprof::cancellation_point();
    }
  });
  CHECK(r.error().kind() == memprof::limit_kind::deadline);
  // [/cancellation_point]
}

}  // namespace
}  // namespace recovering
