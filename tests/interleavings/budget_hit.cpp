// SPDX-License-Identifier: MIT
// limits/budget_hit.hpp: what is read is one hit, whole: no kind with the amounts of another.
#include "checked_atomic.hpp"
// Behind it:
#include "cases.hpp"
#include "limits/budget_hit.hpp"

using namespace interleavings;
using memprof::detail::budget_hit;

namespace {

alignas(budget_hit) unsigned char bytes[sizeof(budget_hit)];
budget_hit* hit = nullptr;

void begin() { hit = new (bytes) budget_hit; }

/// The amounts tell of which hit they are.
void claim(int kind, int number) {
  hit->claim({.kind = memprof::limit_kind(kind), .limit = number, .measured = number * 10});
}

void read() {
  budget_hit::found f;
  if (!hit->read(f)) return;
  check(f.measured == f.limit * 10, "the amounts are of two hits");
  check(f.limit % 3 == static_cast<int>(f.kind), "the kind is of one hit, the amounts of another");
}

void read_at_last() {
  budget_hit::found f;
  check(hit->read(f), "two were hit, and none is there");
  read();
}

}  // namespace

int main() {
  run_case("budget_hit: two kinds at once", {.buffered = 2}, &begin,
           {[] { claim(0, 3); }, [] { claim(1, 4); }, [] { read(); }}, &read_at_last);
  run_case("budget_hit: one kind twice", {.buffered = 2}, &begin,
           {[] { claim(1, 4); }, [] { claim(1, 7); }, [] { read(); }}, &read_at_last);
  run_case(
      "budget_hit: forgotten, and hit again, while it is read", {.buffered = 2},
      [] { begin(), claim(1, 4); },
      {[] { hit->forget_unless(memprof::limit_kind::allocations), claim(2, 5); }, [] { read(); }},
      &read_at_last);
}
