// SPDX-License-Identifier: MIT
#include "evaluate.hpp"

#include <limits>
#include <utility>
#include <vector>

#include <memprof/limits.hpp>

namespace example::server {
namespace {

template <class... F>
struct overloaded : F... {
  using F::operator()...;
};

integer power(integer const& base, integer const& exponent) {
  if (exponent < 0) throw bad_expression("negative exponent");
  if (exponent > std::numeric_limits<unsigned>::max()) throw bad_expression("exponent too large");
  return boost::multiprecision::pow(base, exponent.convert_to<unsigned>());
}

integer factorial(integer const& n) {
  if (n < 0) throw bad_expression("factorial of a negative number");
  integer result = 1;
  for (integer i = 2; i <= n; ++i) {
    memprof::cancellation_point();
    result *= i;
  }
  return result;
}

class evaluator {
 public:
  integer value(node const& n) {
    return std::visit(
        overloaded{
            [](literal const& l) { return l.value; },
            [&](variable const& v) { return variables_[v.level]; },
            [&](unary const& u) {
              return u.what == '!' ? factorial(value(*u.operand)) : integer(-value(*u.operand));
            },
            [&](binary const& b) { return combine(b.what, value(*b.left), value(*b.right)); },
            [&](loop const& l) { return run(l); },
        },
        n.what);
  }

 private:
  static integer combine(char what, integer const& left, integer const& right) {
    if ((what == '/' || what == '%') && right == 0) throw bad_expression("division by zero");
    switch (what) {
      case '+':
        return left + right;
      case '-':
        return left - right;
      case '*':
        return left * right;
      case '/':
        return left / right;
      case '%':
        return left % right;
      default:
        return power(left, right);
    }
  }

  integer run(loop const& l) {
    integer result = l.product ? 1 : 0;
    integer const first = value(*l.first);
    integer const last = value(*l.last);
    variables_.push_back(first);
    for (std::size_t const level = variables_.size() - 1; variables_[level] <= last;
         ++variables_[level]) {
      // Small integers live inside cpp_int: such a loop may go on for ever without allocating, so
      // the deadline and the token need a place of their own to act.
      memprof::cancellation_point();
      integer const term = value(*l.body);
      if (l.product) {
        result *= term;
      } else {
        result += term;
      }
    }
    variables_.pop_back();
    return result;
  }

  std::vector<integer> variables_;
};

}  // namespace

integer evaluate(node const& expression) { return evaluator().value(expression); }

answer answer_to(std::string_view expression) {
  integer const value = evaluate(*parse_expression(expression));
  std::size_t const bits = value == 0 ? 0 : msb(abs(value)) + 1;
  return {bits <= 8192 ? value.str() : std::string(), bits, integer(value % 1'000'000'007).str()};
}

}  // namespace example::server
