// SPDX-License-Identifier: MIT
//
// budget: live memory shared by several threads.
#include <array>
#include <atomic>
#include <cstddef>
#include <optional>
#include <thread>

#include "memprof/memprof.hpp"

#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;

TEST_CASE("a memory budget sums what all runs keep", "[limits][budget]") {
  exactly fixture;
  budget account({.memory = 100_kw});
  std::array<bool, 4> error{};
  std::array<words, 4> held{};
  in_threads(4, [&](std::size_t i) {
    error[i] = !account
                    .run([&] {
                      holder mine;
                      for (;;) {
                        mine.add(small_block);
                        held[i] = mine.held();
                      }
                    })
                    .has_value();
  });
  words together{};
  for (words w : held) together += w;
  for (bool e : error) CHECK(e);
  CHECK(together >= 100_kw - 5 * small_words);
  CHECK(account.live().value == bytes{0});
  // All runs have ended, all memory was given back.
  words again{};
  auto const fresh = account.run([&] {
    holder mine;
    mine.fill(90_kw);
    again = mine.held();
  });
  CHECK(fresh);
  CHECK(again == 90_kw);
}

TEST_CASE("when a memory budget is exhausted every run in progress is interrupted",
          "[limits][budget]") {
  exactly fixture;
  budget account({.memory = 100_kw});
  std::atomic<int> step = 0;
  std::optional<limit_kind> patient_error;
  words patient_got{};
  std::thread patient([&] {
    auto const r = account.run([&] {
      holder mine;
      mine.fill(60_kw);
      step = 1;
      while (step < 2) std::this_thread::yield();
      churn_until(50_kw, patient_got);  // keeps nothing more
    });
    if (!r) patient_error = r.error().kind();
  });
  while (step < 1) std::this_thread::yield();
  auto const greedy = account.run([] {
    holder mine;
    mine.fill(60_kw);
  });
  step = 2;
  patient.join();
  REQUIRE_FALSE(greedy);
  CHECK(greedy.error().kind() == limit_kind::memory);
  CHECK(greedy.error().limit() == bytes{100_kw});
  CHECK(greedy.error().measured() >= bytes{100_kw});
  CHECK(patient_error == limit_kind::memory);
  CHECK(patient_got <= 1_kw);
}

TEST_CASE("live: what the runs left behind, whoever frees it", "[limits][budget]") {
  exactly fixture;
  holder here;
  holder there;
  {
    budget account({.memory = 1_Mw});
    CHECK(account.live().value == bytes{0});
    CHECK(account.run([&] { here.fill(8_kw); }));
    CHECK(account.run([&] { there.fill(16_kw); }));
    auto const all = account.live();
    CHECK(all.value == bytes{24_kw});
    CHECK(all.samples == 3'000);
    CHECK(all.confidence == 0.95);
    CHECK(all.lower <= all.value);
    CHECK(all.value <= all.upper);
    in_thread([&] { here.clear(); });
    CHECK(account.live().value == bytes{16_kw});
  }
  // The budget need not outlive the blocks.
  there.clear();
}

TEST_CASE("memory that outlived its run binds the next one", "[limits][budget]") {
  exactly fixture;
  budget account({.memory = 10_kw});
  holder kept;
  CHECK(account.run([&] { kept.fill(6_kw); }));
  CHECK_FALSE(account.run([] {
    holder mine;
    mine.fill(6_kw);
  }));
  kept.clear();
  CHECK(account.run([] {
    holder mine;
    mine.fill(6_kw);
  }));
}

}  // namespace
}  // namespace memprof::test
