// SPDX-License-Identifier: MIT
/// \file
/// Computes an expression.
#pragma once

#include "expression.hpp"

namespace example::server {

/// The value of the expression.
///
/// throws      bad_expression; under a limit the interrupt. All it makes is on its own stack: when
///             it is interrupted nothing is left behind.
integer evaluate(node const& expression);

/// What the server says about a value: small ones in full, and of each the size and a residue, from
/// which a client can tell that it is the right one.
struct answer {
  std::string decimal;  ///< empty if the value has more than 8192 bits
  std::size_t bits;     ///< of the absolute value
  std::string residue;  ///< modulo 10^9 + 7, with the sign of the value
};

/// Parses, evaluates and describes.
answer answer_to(std::string_view expression);

}  // namespace example::server
