// SPDX-License-Identifier: MIT
// A real program for processes/programs.py, without memprof: GiNaC expands, differentiates and
// factors polynomials, ROUNDS times.
#include <cstdio>
#include <cstdlib>
#include <ginac/ginac.h>

namespace {

std::size_t compute(GiNaC::symbol const& x, GiNaC::symbol const& y, GiNaC::symbol const& z,
                    int round) {
  const GiNaC::ex expanded = GiNaC::pow(x + 2 * y - z + round, 12).expand();
  const GiNaC::ex derived = expanded.diff(x, 2).expand();
  const GiNaC::ex product = ((x - y) * (x + 3 * z + round) * (y * y + z)).expand();
  return expanded.nops() + derived.nops() + GiNaC::factor(product).nops();
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 1;
  const GiNaC::symbol x("x");
  const GiNaC::symbol y("y");
  const GiNaC::symbol z("z");
  std::size_t terms = 0;
  for (int round = 0; round < rounds; ++round) terms += compute(x, y, z, round + 1);
  std::printf("%zu\n", terms);
}
