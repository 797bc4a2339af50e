// SPDX-License-Identifier: MIT
#include <array>
#include <ginac/ginac.h>

#include "million/workload.hpp"

namespace memprof::test {
namespace {

// Numbers of which every term and coefficient is a part.
std::uint64_t value_of(GiNaC::ex const& e, GiNaC::exmap const& point) {
  return static_cast<std::uint64_t>(GiNaC::ex_to<GiNaC::numeric>(e.subs(point)).to_long());
}

std::uint64_t expand(unsigned variant) {
  GiNaC::symbol const x("x");
  GiNaC::symbol const y("y");
  GiNaC::ex const e = GiNaC::pow(x + y + 2, 3 + variant % 4);
  GiNaC::exmap const point = {{x, 3}, {y, 5 + variant}};
  GiNaC::ex const expanded = e.expand();
  return value_of(expanded, point) + value_of(expanded.diff(x), point) + expanded.nops();
}

std::uint64_t divide(unsigned variant) {
  GiNaC::symbol const x("x");
  GiNaC::symbol const y("y");
  GiNaC::ex const g = x + y * (variant + 1);
  GiNaC::ex const a = (g * (x - y)).expand();
  GiNaC::ex const b = (g * (x + 3)).expand();
  return value_of(GiNaC::gcd(a, b).expand(), {{x, 7}, {y, 2}});
}

constexpr std::array all = {workload{"ginac expand", expand}, workload{"ginac gcd", divide}};

}  // namespace

std::span<workload const> serial_workloads() noexcept { return all; }

}  // namespace memprof::test
