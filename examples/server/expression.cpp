// SPDX-License-Identifier: MIT
#include "expression.hpp"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

namespace example::server {
namespace {

constexpr int max_height = 500;

node_pointer make(decltype(node::what) what) {
  struct tallest_child {
    int operator()(literal const&) const { return 0; }
    int operator()(variable const&) const { return 0; }
    int operator()(unary const& u) const { return u.operand->height; }
    int operator()(binary const& b) const { return std::max(b.left->height, b.right->height); }
    int operator()(loop const& l) const {
      return std::max({l.first->height, l.last->height, l.body->height});
    }
  };
  int const height = 1 + std::visit(tallest_child{}, what);
  if (height > max_height) throw bad_expression("nested too deeply");
  return std::make_unique<node const>(node{std::move(what), height});
}

/// Recursive descent, one function for each level of precedence.
class parser {
 public:
  explicit parser(std::string_view text) : text_(text) {}

  node_pointer whole() {
    node_pointer result = sum();
    if (peek() != '\0') fail("expected an operator");
    return result;
  }

 private:
  node_pointer sum() {
    node_pointer left = product();
    for (char c; (c = take_any("+-")) != '\0';) left = make(binary{c, std::move(left), product()});
    return left;
  }

  node_pointer product() {
    node_pointer left = sign();
    for (char c; (c = take_any("*/%")) != '\0';) left = make(binary{c, std::move(left), sign()});
    return left;
  }

  node_pointer sign() {
    deeper guard(*this);
    if (take_any("-") != '\0') return make(unary{'-', sign()});
    return power();
  }

  node_pointer power() {
    node_pointer base = factorial();
    if (take_any("^") == '\0') return base;
    return make(binary{'^', std::move(base), sign()});  // from the right: 2^3^2 is 2^9
  }

  node_pointer factorial() {
    node_pointer operand = primary();
    while (take_any("!") != '\0') operand = make(unary{'!', std::move(operand)});
    return operand;
  }

  node_pointer primary() {
    char const c = peek();
    if (std::isdigit(static_cast<unsigned char>(c))) return number();
    if (std::isalpha(static_cast<unsigned char>(c))) return named(name());
    if (c != '(') fail("expected a number, a name or '('");
    expect("(");
    node_pointer inner = sum();
    expect(")");
    return inner;
  }

  node_pointer number() {
    std::size_t const begin = position_;
    while (std::isdigit(static_cast<unsigned char>(peek_here()))) ++position_;
    std::string digits(text_.substr(begin, position_ - begin));
    // cpp_int would read a leading zero as octal.
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
    return make(literal{integer(digits)});
  }

  node_pointer named(std::string_view word) {
    if (word == "sum" || word == "prod") return range(word == "prod");
    auto const found = std::find(variables_.rbegin(), variables_.rend(), word);
    if (found == variables_.rend()) fail("unknown name '" + std::string(word) + "'");
    return make(variable{static_cast<std::size_t>(variables_.rend() - found) - 1});
  }

  node_pointer range(bool is_product) {
    expect("(");
    if (!std::isalpha(static_cast<unsigned char>(peek()))) fail("expected a variable");
    std::string_view const own = name();
    expect("=");
    node_pointer first = sum();
    expect("..");
    node_pointer last = sum();
    expect(",");
    variables_.push_back(own);
    node_pointer body = sum();
    variables_.pop_back();
    expect(")");
    return make(loop{is_product, std::move(first), std::move(last), std::move(body)});
  }

  std::string_view name() {
    std::size_t const begin = position_;
    while (std::isalnum(static_cast<unsigned char>(peek_here()))) ++position_;
    return text_.substr(begin, position_ - begin);
  }

  [[nodiscard]] char peek_here() const {
    return position_ < text_.size() ? text_[position_] : '\0';
  }
  char peek() {
    while (std::isspace(static_cast<unsigned char>(peek_here()))) ++position_;
    return peek_here();
  }
  char take_any(std::string_view operators) {
    char const c = peek();
    if (c == '\0' || !operators.contains(c)) return '\0';
    ++position_;
    return c;
  }
  void expect(std::string_view token) {
    peek();
    if (!text_.substr(position_).starts_with(token)) fail("expected '" + std::string(token) + "'");
    position_ += token.size();
  }
  [[noreturn]] void fail(std::string const& what) const {
    throw bad_expression("column " + std::to_string(position_ + 1) + ": " + what);
  }

  /// Every recursion of the parser passes through `sign`.
  struct deeper {
    explicit deeper(parser& p) : p_(p) {
      if (++p_.depth_ > max_height) p_.fail("nested too deeply");
    }
    ~deeper() { --p_.depth_; }
    deeper(deeper const&) = delete;
    deeper& operator=(deeper const&) = delete;
    parser& p_;
  };

  std::string_view text_;
  std::size_t position_ = 0;
  int depth_ = 0;
  std::vector<std::string_view> variables_;
};

}  // namespace

node_pointer parse_expression(std::string_view text) { return parser(text).whole(); }

}  // namespace example::server
