// SPDX-License-Identifier: MIT
/// \file
/// Expressions over integers of any size: text to tree.
///
///     2^100 + 30!            + - * / % ^ ! with their usual precedence, ^ from the right
///     sum(i = 1..10, i^2)    of a variable, over a range with both ends; prod(...) alike
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

namespace example::server {

/// An integer of any size. Its digits come from operator new, so that a limit can interrupt every
/// computation, and nothing is shared between threads.
using integer = boost::multiprecision::cpp_int;

/// The request is at fault: syntax, division by zero, an exponent that makes no sense.
class bad_expression : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct node;
using node_pointer = std::unique_ptr<node const>;

struct literal {
  integer value;
};
/// The loop variable of the `level`-th enclosing sum or product, the outermost being 0.
struct variable {
  std::size_t level;
};
struct unary {
  char what;  ///< '-' or '!'
  node_pointer operand;
};
struct binary {
  char what;  ///< '+' '-' '*' '/' '%' '^'
  node_pointer left;
  node_pointer right;
};
struct loop {
  bool product;
  node_pointer first;
  node_pointer last;
  node_pointer body;
};

/// height      1 for a leaf. The parser bounds it, and with it all recursion.
struct node {
  std::variant<literal, variable, unary, binary, loop> what;
  int height;
};

/// throws      bad_expression, with the column.
node_pointer parse_expression(std::string_view text);

}  // namespace example::server
