// SPDX-License-Identifier: MIT
// Library: Z3
// Package: libz3-dev
// Modules: z3
#include <z3++.h>

#include "survey.hpp"

int main(int count, char** arguments) {
  containers::survey s(count, arguments);
  s.function("z3::solver", "add, check", [] {
    z3::context c;
    z3::solver solver(c);
    solver.add(c.bool_const("x"));
    CHECK(solver.check() == z3::sat);
  });
  return s.run();
}
