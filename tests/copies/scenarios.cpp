// SPDX-License-Identifier: MIT
// What must hold between two sides of a process, whichever copies of the library they are linked
// with.
#include <cstddef>

#include "copies/side.hpp"
#include "programs/check.hpp"

namespace memprof::test {
namespace {

using namespace memprof::literals;

constexpr std::size_t far_too_much = 64 << 20;

void limits_around(side const& a, side const& b) {
  // Limits entered here around the other side's code, and there around ours.
  CHECK(a.limit_memory(1_MiB, [&] { b.consume(far_too_much); }));
  CHECK(a.limit_allocations(1_MiB, [&] { b.consume(far_too_much); }));
  CHECK(!a.limit_memory(1_GiB, [&] { b.consume(1 << 20); }));
  // Nested: the inner one is hit, and the outer task goes on; the outer one is hit in the inner.
  bool went_on = false;
  CHECK(!a.limit_memory(1_GiB, [&] {
    CHECK(b.limit_memory(1_MiB, [&] { a.consume(far_too_much); }));
    CHECK(!a.is_interrupted() && !b.is_interrupted());
    went_on = true;
  }));
  CHECK(went_on);
  CHECK(a.limit_memory(1_MiB, [&] {
    CHECK(b.limit_memory(1_GiB, [&] { a.consume(far_too_much); }));
    a.consume(1 << 20);
    CHECK(false);
  }));
}

void masks(side const& a, side const& b) {
  bool after_mask = false;
  CHECK(a.limit_allocations(1_MiB, [&] {
    b.masked([&] {
      CHECK(a.is_masked() && b.is_masked());
      a.consume(8 << 20);  // the limit is hit, and the other side's mask holds the interrupt back
      CHECK(a.is_interrupted() && b.is_interrupted());
      b.consume(8 << 20);
    });
    CHECK(!a.is_masked() && !b.is_masked());
    after_mask = true;
    b.consume(8 << 20);
    CHECK(false);
  }));
  CHECK(after_mask);
}

void tokens(side const& a, side const& b) {
  token stop;
  const token child = b.child_of(stop);
  CHECK(!child.is_set());
  CHECK(b.limit_with_token(child, [&] {
    stop.set("the other side says so");
    CHECK(child.is_set());
    a.consume(far_too_much);
    CHECK(false);
  }));
  token other;
  CHECK(a.limit_with_token(other, [&] {
    other.set();
    b.cancellation_point();
    CHECK(false);
  }));
}

void recovery(side const& a, side const& b) {
  // An interrupt is not caught by the other side's catch_all, its own exceptions are.
  bool caught = false;
  CHECK(a.limit_memory(1_MiB, [&] {
    static_cast<void>(b.catches([&] {
      a.consume(far_too_much);
      CHECK(false);
    }));
    caught = true;
  }));
  CHECK(!caught);
  CHECK(!a.limit_memory(1_GiB, [&] { CHECK(b.catches([] { throw 1; })); }));

  poisonable<int> shared;
  CHECK(a.limit_memory(1_MiB, [&] { b.with_lock(shared, [&] { a.consume(far_too_much); }); }));
  CHECK(shared.is_poisoned());
  poisonable<int> unharmed;
  a.with_lock(unharmed, [&] { CHECK(b.limit_memory(1_MiB, [&] { a.consume(far_too_much); })); });
  CHECK(!unharmed.is_poisoned());
}

void accounts(side const& a, side const& b) {
  limits l;
  l.allocations = 8_MiB;  // 105 samples; half of it hits the limit with a probability below 1e-9
  budget account(l);
  CHECK(!a.run(account, [&] { b.consume(3 << 20); }));
  CHECK(b.run(account, [&] { a.consume(far_too_much); }));
  CHECK(account.allocated() >= 4_MiB);  // what it took, not what the samples said

  constexpr std::size_t size = 1 << 16;
  CHECK(a.profiled([&] { b.consume(size); }) >= size / sizeof(void*));
  CHECK(a.live_memory() == b.live_memory());
}

void sources(side const& a, side const& b) {
  memory_resource counted;
  CHECK(b.limit_memory(1_MiB, [&] {
    std::pmr::vector<int> v(&counted);
    while (true) v.push_back(1);
  }));
  external device{"device"};
  int blocks[64];
  CHECK(b.limit_memory(1_MiB, [&] {
    for (int& block : blocks) {
      device.report_allocation(&block, 1_MiB);
      a.cancellation_point();
    }
    CHECK(false);
  }));
  for (int& block : blocks) device.report_deallocation(&block);
}

}  // namespace

void test_with(side const& other) {
  side const& own = *memprof_test_side();
  CHECK(own.is_active() && other.is_active());
  CHECK(own.refusal().empty() && other.refusal().empty());
  limits_around(own, other);
  masks(own, other);
  tokens(own, other);
  recovery(own, other);
  accounts(own, other);
  sources(own, other);
}

}  // namespace memprof::test
