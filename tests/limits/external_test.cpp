// SPDX-License-Identifier: MIT
//
// external: blocks of allocators that the library cannot see.
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "memprof/memprof.hpp"

#include "limits/amounts.hpp"
#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;

TEST_CASE("external blocks are charged, live until reported freed, by any thread",
          "[limits][sources]") {
  exactly fixture;
  external device("device");
  CHECK(std::string(device.name()) == "device");
  char blocks[4]{};
  auto const r = amounts_of([&] {
    device.report_allocation(&blocks[0], bytes{1000});
    device.report_allocation(&blocks[1], bytes{0});
    device.report_allocation(&blocks[2], 100_w);
    device.report_deallocation(&blocks[2]);
  });
  CHECK(r.allocated == counted_of(1000) + counted_of(0) + counted_of(800));
  CHECK(r.live == counted_of(1000) + counted_of(0));

  // Unknown, freed already, or null: no effect.
  auto const live = live_memory().value;
  device.report_deallocation(&blocks[2]);
  device.report_deallocation(&blocks[3]);
  device.report_deallocation(nullptr);
  auto const same = live_memory().value;
  CHECK(same == live);
  device.report_deallocation(&blocks[0]);
  device.report_deallocation(&blocks[1]);

  // Freed by another thread: off its owner.
  for (bool freed : {true, false}) {
    auto const limited = limit_memory(10_kw, [&] {
      device.report_allocation(&blocks[0], 8_kw);
      if (freed) in_thread([&] { device.report_deallocation(&blocks[0]); });
      device.report_allocation(&blocks[1], 8_kw);
      churn(1_kw);
    });
    device.report_deallocation(&blocks[0]);
    device.report_deallocation(&blocks[1]);
    CHECK(limited.has_value() == freed);
  }
}

TEST_CASE("external: a report is no delivery point, the interrupt comes at the next one",
          "[limits][sources]") {
  exactly fixture;
  external device("device");
  char blocks[2]{};
  bool reported = false;
  words granted{};
  auto const r = limit_allocations(10_kw, [&] {
    device.report_allocation(&blocks[0], 20_kw);
    device.report_allocation(&blocks[1], 20_kw);
    reported = true;
    churn_until(1_kw, granted);
  });
  REQUIRE_FALSE(r);
  CHECK(reported);
  CHECK(granted == 0_w);
  device.report_deallocation(&blocks[0]);
  device.report_deallocation(&blocks[1]);
}

TEST_CASE("external: bad reports are refused", "[limits][sources]") {
  CHECK_THROWS_AS(external(nullptr), std::invalid_argument);
  external device("device");
  char block{};
  CHECK_THROWS_AS(device.report_allocation(&block, bytes{-1}), std::invalid_argument);
  CHECK_THROWS_AS(device.report_allocation(nullptr, bytes{1}), std::invalid_argument);
}

// Upstream's counters saturate. Here an amount beyond the address space (2^44 words) is put to the
// limits and counted nowhere, so that no sum of such amounts can wrap.
TEST_CASE("D-14 changed: impossible amounts hit the limits, and leave all counts as they were",
          "[limits][sources]") {
  exactly fixture;
  external device("device");
  char blocks[20]{};
  auto const report_all = [&](bytes each) {
    for (char& at : blocks) device.report_allocation(&at, each);
    for (char& at : blocks) device.report_deallocation(&at);
    churn(100_w);
  };
  auto const live = live_memory().value;
  for (bytes each : {max_allocation_limit, bytes{std::int64_t{1} << 60}}) {
    for (auto count : {counting::sampled, counting::exact}) {
      auto const hit =
          run_limited({.allocations = 1_Mw, .count = count}, [&] { report_all(each); });
      REQUIRE_FALSE(hit);
      CHECK(hit.error().measured() > bytes{1_Mw});
      CHECK(hit.error().deliveries() == 1);

      auto const room = run_limited({.allocations = max_allocation_limit, .count = count},
                                    [&] { report_all(each); });
      REQUIRE(room);
      CHECK(room->allocated == bytes{100_w});
    }
    auto const memory = limit_memory(1_Mw, [&] { report_all(each); });
    REQUIRE_FALSE(memory);
    CHECK(memory.error().measured() > bytes{1_Mw});
  }
  auto const same = live_memory().value;
  CHECK(same == live);
}

TEST_CASE("D-14: after very large amounts a thread counts as finely as before",
          "[limits][sources]") {
  exactly fixture;
  external device("device");
  char block{};
  auto const report_often = [&] {
    for (int i = 0; i < 1'000; ++i) {
      device.report_allocation(&block, bytes{(std::int64_t{1} << 47) - 16});  // 2^44 - 1 words
      device.report_deallocation(&block);
    }
  };
  for (auto count : {counting::sampled, counting::exact}) {
    auto const count_some = [&] {
      return run_limited({.allocations = 1_Mw, .count = count}, [] { churn(101_w); })
          .value()
          .allocated;
    };
    auto const [after_reports, after_task] = in_thread([&] {
      report_often();
      bytes const first = count_some();
      // Charged to a task this time: 2^54 words, beyond the integers of a double.
      static_cast<void>(run_limited({.allocations = max_allocation_limit, .count = count},
                                    [&] { report_often(); }));
      return std::pair(first, count_some());
    });
    CAPTURE(static_cast<int>(count));
    CHECK(after_reports == bytes{101_w});
    CHECK(after_task == bytes{101_w});
  }
}

}  // namespace
}  // namespace memprof::test
