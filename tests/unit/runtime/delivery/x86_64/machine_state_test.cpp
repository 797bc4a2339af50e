// SPDX-License-Identifier: MIT
#if defined(__x86_64__)

#include "delivery/x86_64/machine_state.hpp"

#include "support/catch2.hpp"

using namespace memprof::delivery::x86_64;

namespace {

constexpr value at_entry{value::kind::stack, 0};

machine_state with(std::uint64_t number, bool zero) {
  machine_state s;
  s.set_reg(3, value::constant(number));
  s.store(at_entry, 8, value::constant(number + 1));
  s.status = {.known = true, .carry_known = true, .zero = zero};
  return s;
}

}  // namespace

TEST_CASE("machine_state: what both know stays, and then nothing has changed") {
  machine_state s = with(5, true);
  CHECK_FALSE(s.join(with(5, true)));
  CHECK(s.reg(3) == value::constant(5));
  CHECK(s.load(at_entry, 8) == value::constant(6));
  CHECK(s.status == with(5, true).status);
}

TEST_CASE("machine_state: what differs is unknown, and nothing else") {
  machine_state flags_differ = with(5, true);
  CHECK(flags_differ.join(with(5, false)));
  CHECK_FALSE(flags_differ.status.known);
  CHECK(flags_differ.reg(3) == value::constant(5));
  CHECK(flags_differ.load(at_entry, 8) == value::constant(6));
  CHECK_FALSE(flags_differ.join(with(5, true)));  // less than nothing is not known

  machine_state numbers_differ = with(5, true);
  CHECK(numbers_differ.join(with(7, true)));
  CHECK(numbers_differ.reg(3) == value{});
  CHECK(numbers_differ.load(at_entry, 8) == value{});
  CHECK(numbers_differ.status.known);
  CHECK_FALSE(numbers_differ.join(with(9, true)));
}

#endif
