// SPDX-License-Identifier: MIT
//
// The shape of upstream's own test of allocation limits (upstream-behaviour.md, 3.4).
#include <array>
#include <thread>
#include <vector>

#include "memprof/memprof.hpp"

#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;

/// One instance of upstream's test. Words.
struct triple {
  words safe, limit, stop;
};

// Upstream's own test (upstream-behaviour.md, 3.4), with triples whose chance of an interrupt below
// `safe`, or of none up to `stop`, is less than 1e-14 each: a false alarm of 40 instances of two
// triples once in 6e11 seeds.
TEST_CASE("upstream's test: safe amounts pass, stop amounts do not, nested and in threads",
          "[limits][allocations]") {
  with_seed fixture(34);
  constexpr triple triples[]{{5'592'479_w, 7'500'000_w, 9'790'698_w},
                             {4'922_w, 125'000_w, 619'792_w}};
  struct verdict {
    bool safe_ok = false;
    bool rest_error = false;
    bool outer_error = false;
  };
  auto const instance = [](triple const& t, bool allocate_more) {
    verdict v;
    v.outer_error =
        !limit_allocations(t.limit, [&] {
           v.safe_ok =
               limit_allocations(max_allocation_limit, [&] { churn(t.safe, 392); }).has_value();
           v.rest_error = !limit_allocations(max_allocation_limit, [&] {
                             churn(t.stop - t.safe, 392);
                           }).has_value();
           if (allocate_more) churn(328_kw, 392);
         }).has_value();
    return v;
  };
  for (auto const& t : triples) {
    std::array<std::vector<verdict>, 4> verdicts;
    std::vector<std::thread> threads;
    for (auto& mine : verdicts) {
      mine.reserve(10);
      threads.emplace_back([&] {
        for (int i = 0; i < 10; ++i) mine.push_back(instance(t, i % 2 == 0));
      });
    }
    for (auto& thread : threads) thread.join();
    for (auto const& mine : verdicts) {
      for (auto const& v : mine) {
        CHECK(v.safe_ok);
        CHECK(v.rest_error);
        CHECK(v.outer_error);
      }
    }
  }
}

}  // namespace
}  // namespace memprof::test
