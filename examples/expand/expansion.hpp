// SPDX-License-Identifier: MIT
/// \file
/// What GiNaC does here: parse an expression, expand it, compare it with what is known.
///
/// threads     GiNaC counts references without atomics: use it from one thread only.
#pragma once

#include <ginac/ginac.h>
#include <string>
#include <vector>

#include "expression_file.hpp"

namespace example::expand {

/// An expanded expression, and the symbols in it by name.
struct expansion {
  GiNaC::ex value;
  GiNaC::symtab symbols;
};

/// Symbols are made anew by each call, so that expressions share nothing.
/// throws      GiNaC::parse_error (a std::invalid_argument), and what expanding throws.
expansion expand(std::string const& expression);

/// What is wrong with `result`; empty if all checks hold.
std::string failed_checks(expansion const& result, std::vector<check> const& checks);

}  // namespace example::expand
