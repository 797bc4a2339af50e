// SPDX-License-Identifier: MIT
#include "symbolize/name_brackets.hpp"

#include <string>
#include <string_view>

#include "support/catch2.hpp"

using namespace memprof::symbolize;

namespace {

/// The texts of all pairs, brackets included, joined by blanks.
std::string texts(std::string_view name) {
  std::string all;
  for (bracket_pair const& b : brackets_of(name)) {
    if (!all.empty()) all += ' ';
    all += name.substr(b.open, b.close + 1 - b.open);
  }
  return all;
}

}  // namespace

TEST_CASE("brackets: in the order in which they open, each with the pair around it") {
  const auto all = brackets_of("a<b(c)[1]>::f(d)");
  REQUIRE(all.size() == 4);
  CHECK(all[0].kind == '<');
  CHECK(all[0].open == 1);
  CHECK(all[0].close == 9);
  CHECK(all[0].around == no_bracket);
  CHECK(all[0].depth == 0);
  for (const std::size_t inner : {std::size_t{1}, std::size_t{2}}) {
    CHECK(all[inner].around == 0);
    CHECK(all[inner].depth == 1);
  }
  CHECK(all[1].kind == '(');
  CHECK(all[2].kind == '[');
  CHECK(all[3].around == no_bracket);
}

TEST_CASE("brackets: names of operators, arrows and comparisons are none") {
  CHECK(texts("operator<(a, b)") == "(a, b)");
  CHECK(texts("operator<< <int>(a)") == "<int> (a)");
  CHECK(texts("operator<=>(a)") == "(a)");
  CHECK(texts("operator->(a)") == "(a)");
  CHECK(texts("s::operator()(int) const") == "(int)");
  CHECK(texts("s::operator()<int>(int)") == "<int> (int)");
  CHECK(texts("operator[](a)") == "(a)");
  for (std::string symbol :
       {"==", "!=", "<",   ">",   "<=", ">=", "<=>", "+",  "-",  "*",   "/",  "%",  "^",
        "&",  "|",  "~",   "!",   "=",  "+=", "-=",  "*=", "/=", "%=",  "^=", "&=", "|=",
        "<<", ">>", "<<=", ">>=", "&&", "||", "++",  "--", ",",  "->*", "->", "()", "[]"}) {
    CAPTURE(symbol);
    if (symbol != "<") {  // demanglers write "operator< <c>"
      CHECK(texts("a<b>::operator" + symbol + "<c>(d)") == "<b> <c> (d)");
    }
    CHECK(texts("a<b>::operator" + symbol + " <c>(d)") == "<b> <c> (d)");
    CHECK(texts("a<b>::operator" + symbol + "(d)") == "<b> (d)");
  }
  CHECK(texts("f() -> a<b>") == "() <b>");
  CHECK(texts("a<(1 > 2)>") == "<(1 > 2)> (1 > 2)");
}

TEST_CASE("brackets: one without another half is left out, and the others stay") {
  CHECK(texts("a<b(c>").empty());  // nothing closes (, and > is in it
  CHECK(texts("f)g(h)") == "(h)");
  CHECK(texts("((a)") == "(a)");
  CHECK(texts("").empty());
}
