// SPDX-License-Identifier: MIT
/// \file
/// Reads the file of expressions and of what is known about their expansions.
///
///     (a + b)^2             => equals a^2 + 2*a*b + b^2
///     (1 + x)^100           => coefficient x^50 = 100891344545564193334812497256
///     (a + b + c + d)^12    => terms 455
///     (a + b + c + d)^500   => runaway
///
/// Several checks are separated by ';'. Empty lines, and all from '#' on, are skipped.
#pragma once

#include <istream>
#include <string>
#include <vector>

namespace example::expand {

/// Something that is known about an expansion without expanding it here.
struct check {
  enum class kind { equals, terms, coefficient };
  kind what;
  std::string of;        ///< coefficient: the monomial, x^50 * y
  std::string expected;  ///< an expression; terms: a number
};

struct entry {
  int line;
  std::string expression;
  std::vector<check> checks;  ///< empty for a runaway
  [[nodiscard]] bool runaway() const noexcept { return checks.empty(); }
};

/// name        for messages.
/// throws      std::runtime_error with file and line, if a line is not as above.
std::vector<entry> read_entries(std::istream& in, std::string const& name);

}  // namespace example::expand
