// SPDX-License-Identifier: MIT
//
// poisonable on one thread: what marks it, what does not, and what the members do.
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "memprof/memprof.hpp"

#include "limits/hit.hpp"
#include "support/allocate.hpp"
#include "support/catch2.hpp"
#include "support/print_units.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;

/// Half a change is visible: the two are equal when nothing is going on.
struct pair_of_counts {
  int first = 0;
  int second = 0;
};

void change(pair_of_counts& p) {
  ++p.first;
  churn(2_kw);
  ++p.second;
}

TEST_CASE("an interrupt that passes through the lock marks it, for any kind",
          "[limits][poisonable]") {
  exactly fixture;
  for (auto kind : all_kinds) {
    poisonable<pair_of_counts> shared;
    auto const r = run_hit(kind, [&] {
      auto const locked = shared.lock();
      change(*locked);
    });
    CAPTURE(to_string(kind));
    REQUIRE_FALSE(r);
    CHECK(shared.is_poisoned());
    CHECK_THROWS_AS(shared.lock(), poisoned);
    CHECK_THROWS_AS(shared.try_lock(), poisoned);
    CHECK_THROWS_AS(std::as_const(shared).lock(), poisoned);
    CHECK_THROWS_AS(shared.with([](pair_of_counts&) {}), std::runtime_error);
    // The lock was given back each time, and what is left is there to be looked at.
    auto const broken = shared.lock_even_if_poisoned();
    CHECK(broken->first == 1);
    CHECK(broken->second == 0);
    CHECK(broken.is_poisoned());
  }
}

TEST_CASE("an exception that takes the place of the interrupt marks it, too",
          "[limits][poisonable]") {
  exactly fixture;
  poisonable<pair_of_counts> shared;
  auto const r = run_hit(limit_kind::allocations, [&] {
    auto const locked = shared.lock();
    try {
      change(*locked);
    } catch (...) {
      throw 1.5;
    }
  });
  CHECK_FALSE(r);
  CHECK(shared.is_poisoned());
}

TEST_CASE("a change that is finished does not mark it, even if the limit was hit meanwhile",
          "[limits][poisonable]") {
  exactly fixture;
  poisonable<pair_of_counts> shared;
  auto const r = run_hit(limit_kind::allocations, [&] {
    {
      masked_scope const mask;
      auto const locked = shared.lock();
      change(*locked);
    }
    churn(2_kw);
  });
  CHECK_FALSE(r);
  CHECK_FALSE(shared.is_poisoned());
  // Unlocked before the interrupt came.
  static_cast<void>(run_hit(limit_kind::allocations, [&] {
    auto locked = shared.lock();
    locked.unlock();
    churn(2_kw);
  }));
  CHECK_FALSE(shared.is_poisoned());
  // Caught while the guard lives: its holder answers for the value.
  static_cast<void>(run_hit(limit_kind::allocations, [&] {
    auto const locked = shared.lock();
    try {
      change(*locked);
    } catch (limit_exceeded const&) {
      locked->second = locked->first;
    }
  }));
  CHECK_FALSE(shared.is_poisoned());
}

TEST_CASE("other exceptions mark it by choice only", "[limits][poisonable]") {
  poisonable<pair_of_counts> shared;
  poisonable<pair_of_counts> strict{poison_on::any_exception};
  auto const fail = [](auto& p) {
    static_cast<void>(limit_allocations(1_Mw, [&] {
      auto const locked = p.lock();
      throw 1;
    }));
  };
  CHECK_THROWS_AS(fail(shared), int);
  CHECK_FALSE(shared.is_poisoned());
  CHECK_THROWS_AS(fail(strict), int);
  CHECK(strict.is_poisoned());
  CHECK_THROWS_AS(strict.lock(), poisoned);
}

TEST_CASE("an inner limit that was hit and has returned does not mark an outer lock",
          "[limits][poisonable]") {
  exactly fixture;
  poisonable<pair_of_counts> outer;
  poisonable<pair_of_counts> inner;
  bool went_on = false;
  CHECK(limit_allocations(1_Mw, [&] {
    auto const locked = outer.lock();
    static_cast<void>(run_hit(limit_kind::allocations, [&] {
      auto const locked_too = inner.lock();
      change(*locked_too);
    }));
    ++locked->first;
    ++locked->second;
    went_on = true;
  }));
  CHECK(went_on);
  CHECK_FALSE(outer.is_poisoned());
  CHECK(inner.is_poisoned());

  // The holder's own exception afterwards is not due to the interrupt.
  CHECK_THROWS_AS(
      limit_allocations(1_Mw,
                        [&] {
                          auto const locked = outer.lock();
                          static_cast<void>(run_hit(limit_kind::allocations, [] { churn(2_kw); }));
                          throw 1;
                        }),
      int);
  CHECK_FALSE(outer.is_poisoned());
}

TEST_CASE("an interrupt of an outer limit marks the locks inside inner limits and out",
          "[limits][poisonable]") {
  exactly fixture;
  poisonable<pair_of_counts> outer;
  poisonable<pair_of_counts> inner;
  auto const r = run_hit(limit_kind::allocations, [&] {
    auto const locked = outer.lock();
    static_cast<void>(limit_memory(1_Mw, [&] {
      auto const locked_too = inner.lock();
      change(*locked_too);
    }));
  });
  CHECK_FALSE(r);
  CHECK(inner.is_poisoned());
  CHECK(outer.is_poisoned());
}

/// Locks and changes in its destructor.
struct in_destructor {
  poisonable<pair_of_counts>& shared;
  ~in_destructor() {
    auto const locked = shared.lock();
    change(*locked);
  }
};

TEST_CASE("a lock that is taken and given back during unwinding is not marked",
          "[limits][poisonable]") {
  exactly fixture;
  poisonable<pair_of_counts> shared;
  auto const r = run_hit(limit_kind::allocations, [&] {
    in_destructor const last_words{shared};
    churn(2_kw);
  });
  CHECK_FALSE(r);
  CHECK_FALSE(shared.is_poisoned());
  CHECK(shared.lock()->second == 1);
}

TEST_CASE("a monitor that locked for its task marks by hand", "[limits][poisonable]") {
  exactly fixture;
  poisonable<pair_of_counts> shared;
  {
    auto const locked = shared.lock();
    auto const r = run_hit(limit_kind::allocations, [&] { change(*locked); });
    if (!r) shared.poison();
  }
  CHECK(shared.is_poisoned());
}

TEST_CASE("readers do not mark", "[limits][poisonable]") {
  exactly fixture;
  poisonable<pair_of_counts> shared;
  STATIC_REQUIRE(std::is_same_v<decltype(*std::as_const(shared).lock()), pair_of_counts const&>);
  auto const r = run_hit(limit_kind::allocations, [&] {
    auto const locked = std::as_const(shared).lock();
    churn(2_kw);
  });
  CHECK_FALSE(r);
  CHECK_FALSE(shared.is_poisoned());
}

TEST_CASE("repair: once if needed; if it is interrupted the mark stays", "[limits][poisonable]") {
  exactly fixture;
  poisonable<pair_of_counts> shared{7, 7};
  int calls = 0;
  auto const reset = [&](pair_of_counts& p) {
    ++calls;
    p = {};
  };
  CHECK_FALSE(shared.repair(reset));
  CHECK(calls == 0);

  shared.poison();
  auto const r = run_hit(limit_kind::allocations, [&] {
    shared.repair([&](pair_of_counts& p) {
      p.first = 0;
      churn(2_kw);
      p.second = 0;
    });
  });
  CHECK_FALSE(r);
  CHECK(shared.is_poisoned());
  CHECK_THROWS_AS(shared.repair([](pair_of_counts&) { throw 1; }), int);
  CHECK(shared.is_poisoned());

  CHECK(shared.repair(reset));
  CHECK(calls == 1);
  CHECK_FALSE(shared.is_poisoned());
  CHECK(shared.lock()->second == 0);

  CHECK(shared.lock_or_repair(reset)->first == 0);
  CHECK(calls == 1);
  shared.poison();
  CHECK(shared.lock_or_repair(reset)->first == 0);
  CHECK(calls == 2);
  CHECK_FALSE(shared.is_poisoned());

  shared.poison();
  {
    auto const locked = shared.lock_even_if_poisoned();
    *locked = {1, 1};
    shared.clear_poison();
  }
  CHECK(shared.lock()->first == 1);
}

TEST_CASE("guards move; what was moved from holds and marks nothing", "[limits][poisonable]") {
  exactly fixture;
  poisonable<pair_of_counts> shared;
  poisonable<pair_of_counts> other;
  {
    auto first = shared.lock();
    auto const second = std::move(first);
    CHECK_FALSE(first.owns_lock());
    CHECK(second.owns_lock());
  }
  if (auto const again = shared.try_lock()) {
    CHECK(in_thread([&] { return !shared.try_lock(); }));
    CHECK(again->first == 0);
  } else {
    FAIL("nobody has the lock");
  }
  auto const r = run_hit(limit_kind::allocations, [&] {
    auto mine = shared.lock();
    auto others = other.lock();
    { auto const kept = std::move(mine); }  // given back
    others->first += 2;                     // in the middle of a change
    churn(2_kw);
  });
  CHECK_FALSE(r);
  CHECK_FALSE(shared.is_poisoned());
  CHECK(other.is_poisoned());
}

TEST_CASE("values: in place, move-only, from an argument; with returns what f returns",
          "[limits][poisonable]") {
  poisonable<std::string> text{std::size_t{3}, 'x'};
  CHECK(*text.lock() == "xxx");
  poisonable number{41};
  STATIC_REQUIRE(std::is_same_v<decltype(number), poisonable<int>>);
  CHECK(number.with([](int& n) { return ++n; }) == 42);
  int const& referred = number.with([](int& n) -> int& { return n; });
  CHECK(&referred == &*number.lock());
  CHECK(std::as_const(number).with([](int const& n) { return n; }) == 42);
  CHECK(std::string(poisoned().what()).find("interrupted") != std::string::npos);
}

}  // namespace
}  // namespace memprof::test
