// SPDX-License-Identifier: MIT
//
// A parser of __cxa_demangle's output. It copies what it reads, and leaves things out where it
// is sure what they are; the first thing that it does not understand makes it give up.
#include "symbolize/short_name.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <span>
#include <vector>

#include "symbolize/standard_templates.hpp"

namespace memprof::symbolize {
namespace {

constexpr int deepest_nesting = 100;
constexpr std::size_t longest_shortened = 1 << 16;

bool begins_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}
bool in_word(char c) { return begins_word(c) || (c >= '0' && c <= '9'); }

class shortener {
 public:
  shortener(std::string_view text, bool arguments) : text_{text}, arguments_{arguments} {}

  std::optional<std::string> whole() {
    std::string out;
    if (!scan(out, level::name, '\0') || at_ != text_.size() || out.empty()) return std::nullopt;
    return out;
  }

 private:
  ///  - `name`: a function's whole name: argument lists and the return type are left out.
  ///  - `argument`: of a template, up to `,` or `>`.
  ///  - `group`: in brackets, up to `close`.
  enum class level { name, argument, group };

  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool accept(std::string_view s) {
    if (!text_.substr(at_).starts_with(s)) return false;
    at_ += s.size();
    return true;
  }
  [[nodiscard]] bool drops() const { return !arguments_; }

  bool scan(std::string& out, level l, char close);
  bool word(std::string& out, level l, std::size_t& name_from, bool& names);
  bool operator_name(std::string& out, level l);
  bool template_arguments(std::string& out, std::size_t name_from);
  bool bracket(std::string& out, char close);
  bool after_arguments(std::string& out);

  std::string_view text_;
  std::size_t at_ = 0;
  bool arguments_;
  int depth_ = 0;
};

/// The characters of an operator's name, or the type that a conversion has.
bool shortener::operator_name(std::string& out, level l) {
  static constexpr std::string_view symbols[] = {
      "<=>", "<<=", ">>=", "->*", "()", "[]", "<<", ">>", "<=", ">=", "==", "!=", "&&",
      "||",  "++",  "--",  "+=",  "-=", "*=", "/=", "%=", "^=", "&=", "|=", "->", "+",
      "-",   "*",   "/",   "%",   "^",  "&",  "|",  "~",  "!",  "=",  "<",  ">",  ","};
  out += "operator";
  for (std::string_view s : {" new[]", " delete[]", " new", " delete", " co_await"}) {
    if (text_.substr(at_).starts_with(s) && !in_word(peek(s.size()))) {
      at_ += s.size();
      out += s;
      return true;
    }
  }
  if (accept("\"\" ")) {
    out += "\"\"";
    while (in_word(peek())) out += text_[at_++];
    return true;
  }
  for (std::string_view s : symbols) {
    if (!accept(s)) continue;
    out += s;
    // "operator< <int>": the blank keeps the template apart.
    if (peek() == ' ' && peek(1) == '<') out += text_[at_++];
    return true;
  }
  if (l != level::name || !accept(" ")) return false;
  // A conversion: the type reaches to the argument list.
  std::string type;
  while (peek() != '(') {
    if (at_ >= text_.size()) return false;
    if (!begins_word(peek())) {
      const char c = text_[at_++];
      if (c != ' ' && c != '*' && c != '&' && c != ':') return false;
      type += c;
      continue;
    }
    std::size_t from = type.size();
    bool names = true;
    if (!word(type, level::argument, from, names)) return false;
    while (accept("::")) {
      type += "::";
      if (!begins_word(peek()) || !word(type, level::argument, from, names)) return false;
    }
  }
  out += ' ' + type;
  return true;
}

/// A word and its template arguments. `name_from` is where in `out` the qualified name begins.
bool shortener::word(std::string& out, level l, std::size_t& name_from, bool& names) {
  const std::size_t from = at_;
  while (in_word(peek())) ++at_;
  const std::string_view w = text_.substr(from, at_ - from);
  if (!names) name_from = out.size();
  names = true;
  if (w == "operator") {
    if (!operator_name(out, l)) return false;
  } else if ((w == "__cxx11" || w == "__1" || w == "_V2") && peek() == ':' && peek(1) == ':' &&
             std::string_view{out}.substr(name_from).starts_with("std::")) {
    at_ += 2;
    // The caller continues with the next word of this name.
    return begins_word(peek()) ? word(out, l, name_from, names) : false;
  } else {
    out += w;
  }
  while (accept("[abi:")) {
    while (in_word(peek())) ++at_;
    if (!accept("]")) return false;
  }
  return peek() != '<' || template_arguments(out, name_from);
}

bool shortener::template_arguments(std::string& out, std::size_t name_from) {
  ++at_;  // <
  std::vector<std::string> arguments;
  if (accept(">")) {
    out += "<>";
    return true;
  }
  for (;;) {
    std::string one;
    if (!scan(one, level::argument, '\0')) return false;
    while (one.ends_with(' ')) one.pop_back();
    arguments.push_back(std::move(one));
    if (accept(">")) break;
    if (!accept(",")) return false;
    accept(" ");
  }
  const std::string_view name = std::string_view{out}.substr(name_from);
  if (name.starts_with("std::")) {
    const std::string_view in_std = name.substr(5);
    drop_default_arguments(in_std, arguments);
    if (const std::string alias = alias_of(in_std, arguments); !alias.empty()) {
      out.resize(name_from);
      out += alias;
      return true;
    }
  }
  out += '<';
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (i != 0) out += ", ";
    out += arguments[i];
  }
  // Otherwise "operator>>" would be another one.
  if (out.ends_with('>') && arguments.back().find("operator") != std::string::npos) out += ' ';
  out += '>';
  return true;
}

/// ( [ or {, and all up to its other half.
bool shortener::bracket(std::string& out, char close) {
  out += text_[at_++];
  if (!scan(out, level::group, close) || peek() != close) return false;
  out += text_[at_++];
  return true;
}

/// What may follow an argument list: qualifiers of the function, the next name, a clone's mark.
bool shortener::after_arguments(std::string& out) {
  std::string qualifiers;
  for (bool more = true; more;) {
    more = false;
    for (std::string_view q : {" const", " volatile", " &&", " &", " noexcept"}) {
      if (!text_.substr(at_).starts_with(q) || in_word(peek(q.size()))) continue;
      at_ += q.size();
      qualifiers += q;
      more = true;
      break;
    }
  }
  if (!drops()) out += qualifiers;
  while (accept(" [clone ")) {
    const std::size_t end = text_.find(']', at_);
    if (end == std::string_view::npos) return false;
    at_ = end + 1;
  }
  return at_ == text_.size() || text_.substr(at_).starts_with("::");
}

bool shortener::scan(std::string& out, level l, char close) {
  if (++depth_ > deepest_nesting) return false;
  std::size_t name_from = out.size();
  bool names = false;  // is a qualified name going on?
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (l == level::group && c == close) break;
    if (l == level::argument && (c == ',' || c == '>')) break;
    if (begins_word(c)) {
      if (!word(out, l, name_from, names)) return false;
      continue;
    }
    if (accept("::")) {
      out += "::";
      if (!names) name_from = out.size() - 2;
      names = true;
      continue;
    }
    if (c == '(' && accept("(anonymous namespace)")) {
      if (!names) name_from = out.size();
      names = true;
      out += "(anonymous namespace)";
      continue;
    }
    if (c == '{') {  // {lambda(int)#1}, {unnamed type#1}, {default arg#1}
      if (!names) name_from = out.size();
      names = true;
      if (!bracket(out, '}')) return false;
      continue;
    }
    if (c == '(') {
      const bool decltype_of = out.ends_with("decltype ") || out.ends_with("decltype");
      if (l == level::name && !decltype_of) {
        // An argument list comes right after a name; "void (*f())()" is left alone.
        if (!names || out.ends_with(' ')) return false;
        std::string list;
        if (!bracket(list, ')')) return false;
        if (!drops()) out += list;
        if (!after_arguments(out)) return false;
        continue;
      }
      names = false;
      if (!bracket(out, ')')) return false;
      continue;
    }
    names = false;
    if (c == '[') {
      if (!bracket(out, ']')) return false;
      continue;
    }
    if (c == ')' || c == ']' || c == '}' || c == '"' || c == '\'') return false;
    if (accept("->")) {
      out += "->";
      continue;
    }
    if (l == level::name) {
      if (c == ' ') {
        ++at_;
        // What came before is the return type.
        if (drops() && !out.ends_with("decltype"))
          out.clear();
        else
          out += ' ';
        continue;
      }
      if (c != '*' && c != '&' && c != '~' && c != '.' && (c < '0' || c > '9')) return false;
      if (c == '~') names = true;
    } else if ((c == '<' || c == '>') &&
               !(l == level::group && close == ')' && out.ends_with(')'))) {
      return false;  // a comparison stands between brackets
    }
    out += c;
    ++at_;
  }
  --depth_;
  return true;
}

/// ".cold", ".part.0", ".isra.0", ".constprop.0", ".lto_priv.0": pieces and variants that compilers
/// make of a function.
std::string_view without_clone_marks(std::string_view name) {
  for (std::string_view mark : {".cold", ".part.", ".isra.", ".constprop.", ".lto_priv."}) {
    const std::size_t at = name.find(mark);
    if (at == 0 || at == std::string_view::npos) continue;
    const std::string_view tail = name.substr(at);
    const bool plain = std::ranges::all_of(tail, [](char c) { return in_word(c) || c == '.'; });
    if (plain) name = name.substr(0, at);
  }
  return name;
}

}  // namespace

std::string short_name(std::string_view name, bool arguments) {
  name = without_clone_marks(name);
  const bool simple = std::ranges::all_of(name, in_word);
  if (simple || name.size() > longest_shortened) return std::string{name};
  for (std::string_view remark :
       {"non-virtual thunk to ", "virtual thunk to ", "covariant return thunk to ",
        "TLS init function for ", "TLS wrapper function for ", "transaction clone for "}) {
    if (name.starts_with(remark)) {
      return std::string{remark} + short_name(name.substr(remark.size()), arguments);
    }
  }
  return shortener{name, arguments}.whole().value_or(std::string{name});
}

}  // namespace memprof::symbolize
