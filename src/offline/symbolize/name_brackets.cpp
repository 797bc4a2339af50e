// SPDX-License-Identifier: MIT
#include "symbolize/name_brackets.hpp"

#include <algorithm>
#include <cctype>

namespace memprof::symbolize {
namespace {

/// Real names are not deeper: from there on brackets are taken for text.
constexpr std::size_t deepest_bracket = 200;

bool in_identifier(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' ||
         (static_cast<unsigned char>(c) & 0x80) != 0;
}

/// How many characters the operator has after the word "operator".
std::size_t operator_symbol(std::string_view after) {
  // The longer ones first: some begin with others.
  for (std::string_view s :
       {"<=>", "<<=", ">>=", "->*", "()", "[]", "<<", ">>", "<=", ">=", "->", "==", "!=",
        "&&",  "||",  "++",  "--",  "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", "<",
        ">",   ",",   "=",   "!",   "&",  "|",  "+",  "-",  "*",  "/",  "%",  "^",  "~"}) {
    if (after.starts_with(s)) return s.size();
  }
  return 0;
}

char other_half(char open) {
  switch (open) {
    case '<':
      return '>';
    case '(':
      return ')';
    case '{':
      return '}';
    default:
      return ']';
  }
}

}  // namespace

std::vector<bracket_pair> brackets_of(std::string_view name) {
  static constexpr std::string_view word = "operator";
  std::vector<bracket_pair> all;
  std::vector<std::size_t> open;   // indices of `all`
  std::size_t after_operator = 0;  // where the symbol of the last operator ended
  const auto begins_arguments = [&](std::size_t at) {
    // "operator<< <int>" and "operator()<int>" have arguments after the symbol.
    if (after_operator != 0 && (at == after_operator || at == after_operator + 1)) return true;
    return at > 0 && (in_identifier(name[at - 1]) || name[at - 1] == ']');
  };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == word[0] && name.substr(i).starts_with(word) &&
        (i == 0 || !in_identifier(name[i - 1]))) {
      i += word.size();
      i += operator_symbol(name.substr(i));
      after_operator = i;
      --i;
    } else if (c == '-' && i + 1 < name.size() && name[i + 1] == '>') {
      ++i;
    } else if (c == '(' || c == '{' || c == '[' || (c == '<' && begins_arguments(i))) {
      if (open.size() == deepest_bracket) return {};
      const std::size_t around = open.empty() ? no_bracket : open.back();
      open.push_back(all.size());
      all.push_back({i, 0, around, 0, c});
    } else if (c == '>') {
      if (open.empty() || all[open.back()].kind != '<') continue;
      all[open.back()].close = i;
      open.pop_back();
    } else if (c == ')' || c == '}' || c == ']') {
      const auto half = std::find_if(open.rbegin(), open.rend(), [&](std::size_t k) {
        return all[k].kind != '<' && other_half(all[k].kind) == c;
      });
      if (half == open.rend()) continue;
      all[*half].close = i;
      open.erase(half.base() - 1, open.end());
    }
  }
  // Without those that were never closed, which moves the others up.
  std::vector<std::size_t> moved(all.size(), no_bracket);
  std::vector<bracket_pair> closed;
  for (std::size_t i = 0; i < all.size(); ++i) {
    bracket_pair p = all[i];
    while (p.around != no_bracket && moved[p.around] == no_bracket) p.around = all[p.around].around;
    if (p.around != no_bracket) {
      p.around = moved[p.around];
      p.depth = closed[p.around].depth + 1;
    }
    if (p.close == 0) continue;
    moved[i] = closed.size();
    closed.push_back(p);
  }
  return closed;
}

}  // namespace memprof::symbolize
