// SPDX-License-Identifier: MIT
#include <ginac/ginac.h>
#include <sstream>
#include <string>

#include "support/require.hpp"
#include "support/situation.hpp"

namespace {

using memprof::test::require;

// Blocks left: GiNaC and CLN keep what they have computed (hash tables, numbers, remember tables).
MEMPROF_SITUATION(ginac, either) {
  memprof::test::may_leave_blocks();
  GiNaC::symbol const x("x");
  GiNaC::symbol const y("y");
  GiNaC::ex const e = GiNaC::pow(x + y, 4);
  GiNaC::ex const expanded = e.expand();
  require((expanded - e).expand().is_zero(), "expand");
  require(expanded.diff(x).subs(y == 0).is_equal(4 * GiNaC::pow(x, 3)), "diff");
  require(GiNaC::gcd(GiNaC::ex(x * x - y * y).expand(), x + y).is_equal(x + y), "gcd");
}

}  // namespace
