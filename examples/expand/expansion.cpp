// SPDX-License-Identifier: MIT
#include "expansion.hpp"

#include <sstream>

namespace example::expand {
namespace {

GiNaC::ex parse_with(GiNaC::symtab const& symbols, std::string const& text) {
  GiNaC::parser reader(symbols, true);  // strict: an unknown name is an error
  return reader(text);
}

/// The coefficient of a monomial such as x^3*y^2 in an expanded polynomial.
GiNaC::ex coefficient(GiNaC::ex polynomial, GiNaC::ex const& monomial) {
  auto const take_out = [&](GiNaC::ex const& factor) {
    bool const power = GiNaC::is_a<GiNaC::power>(factor);
    GiNaC::ex const base = power ? factor.op(0) : factor;
    int const exponent = power ? GiNaC::ex_to<GiNaC::numeric>(factor.op(1)).to_int() : 1;
    polynomial = polynomial.coeff(base, exponent);
  };
  if (GiNaC::is_a<GiNaC::mul>(monomial)) {
    for (GiNaC::ex const& factor : monomial) take_out(factor);
  } else {
    take_out(monomial);
  }
  return polynomial;
}

std::size_t number_of_terms(GiNaC::ex const& expanded) {
  return GiNaC::is_a<GiNaC::add>(expanded) ? expanded.nops() : 1;
}

std::string failure(expansion const& result, check const& c) {
  std::ostringstream out;
  switch (c.what) {
    case check::kind::equals:
      if (!(result.value - parse_with(result.symbols, c.expected)).expand().is_zero()) {
        out << "differs from " << c.expected;
      }
      break;
    case check::kind::terms:
      if (std::to_string(number_of_terms(result.value)) != c.expected) {
        out << number_of_terms(result.value) << " terms, not " << c.expected;
      }
      break;
    case check::kind::coefficient:
      auto const found = coefficient(result.value, parse_with(result.symbols, c.of));
      if (!(found - parse_with(result.symbols, c.expected)).expand().is_zero()) {
        out << "coefficient of " << c.of << " is " << found << ", not " << c.expected;
      }
      break;
  }
  return out.str();
}

}  // namespace

expansion expand(std::string const& expression) {
  GiNaC::parser reader;
  GiNaC::ex const parsed = reader(expression);
  return {parsed.expand(), reader.get_syms()};
}

std::string failed_checks(expansion const& result, std::vector<check> const& checks) {
  std::string all;
  for (check const& c : checks) {
    std::string const text = failure(result, c);
    if (text.empty()) continue;
    if (!all.empty()) all += "; ";
    all += text;
  }
  return all;
}

}  // namespace example::expand
