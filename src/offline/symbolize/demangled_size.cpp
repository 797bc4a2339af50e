// SPDX-License-Identifier: MIT
//
// A parser of the Itanium ABI's mangled names that keeps of each part only how long its text is. It
// numbers the substitution candidates as libiberty's demangler does.
#include "symbolize/demangled_size.hpp"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <vector>

namespace memprof::symbolize {
namespace {

constexpr int deepest_part = 256;

struct not_followed {};

/// Of a part: the characters of its text, but for template parameters (T_), and how many of these.
/// What they stand for depends on where the part is repeated.
struct extent {
  double size = 0;
  double parameters = 0;
  extent& operator+=(extent const& other) {
    size += other.size;
    parameters += other.parameters;
    return *this;
  }
};

class parser {
 public:
  explicit parser(std::string_view text) : text_{text} {}

  double whole() {
    skip("_Z");
    const extent all = encoding();
    if (at_ != text_.size() && peek() != '.') throw not_followed{};  // ".cold", ".isra.0"
    return all.size + static_cast<double>(text_.size() - at_) + all.parameters * largest_argument_;
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void skip(std::string_view expected) {
    for (char c : expected) {
      if (!accept(c)) throw not_followed{};
    }
  }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

  struct nesting {
    explicit nesting(int& d) : depth{d} {
      if (++depth > deepest_part) throw not_followed{};
    }
    ~nesting() { --depth; }
    int& depth;
  };

  void candidate(extent const& e) { candidates_.push_back(e); }

  /// A name, and the types of its parameters, which end with the text or at an 'E'.
  extent encoding() {
    is_template_ = false;
    extent all = name();
    all.size += 16;  // "()", qualifiers, the space after a return type
    const bool resolves = is_template_;
    ++in_types_;
    while (at_ < text_.size() && peek() != 'E' && peek() != '.') {
      all += type();
      all.size += 2;
    }
    --in_types_;
    // The parameters are those of its own template, whose arguments were before them.
    if (resolves) all = {.size = all.size + all.parameters * largest_argument_};
    return all;
  }

  extent name() {
    const nesting n{depth_};
    if (peek() == 'N') return nested_name();
    if (peek() == 'Z') return local_name();
    extent e;
    bool repeated = false;
    if (peek() == 'S' && peek(1) != 't') {
      e = substitution();
      repeated = true;
    } else {
      if (peek() == 'S') skip("St");
      e = unqualified();
      is_template_ = false;
      e.size += 5;
    }
    if (peek() == 'I') {
      if (!repeated) candidate(e);
      e += template_arguments();
      is_template_ = true;
    }
    return e;
  }

  extent nested_name() {
    skip("N");
    extent e{.size = 16};
    while (peek() == 'r' || peek() == 'V' || peek() == 'K') ++at_;
    if (peek() == 'R' || peek() == 'O') ++at_;
    for (bool first = true; !accept('E'); first = false) {
      const char c = peek();
      if (c == 'S') {
        e += substitution();
      } else if (c == 'I') {
        if (first) throw not_followed{};
        e += template_arguments();
        is_template_ = true;
      } else if (c == 'T') {
        e += parameter();
      } else if (accept('M')) {  // the initializer of a member, before a lambda
        continue;
      } else {
        e += unqualified();
        is_template_ = false;
      }
      e.size += 2;
      if (c != 'S' && peek() != 'E') candidate(e);
    }
    return e;
  }

  extent local_name() {
    skip("Z");
    extent e = encoding();
    skip("E");
    e.size += 20;
    if (accept('s')) {
      discriminator();
      return e;
    }
    if (accept('d')) {
      number();
      skip("_");
    }
    e += name();
    discriminator();
    return e;
  }

  void discriminator() {
    if (!accept('_')) return;
    if (accept('_')) {
      number();
      skip("_");
    } else {
      if (!is_digit(peek())) throw not_followed{};
      ++at_;
    }
  }

  std::size_t number() {
    std::size_t n = 0;
    for (; is_digit(peek()) && n <= text_.size(); ++at_) {
      n = 10 * n + static_cast<std::size_t>(peek() - '0');
    }
    return n;
  }

  extent source_name() {
    const std::size_t n = number();
    if (n == 0 || n > text_.size() - at_) throw not_followed{};
    at_ += n;
    // "(anonymous namespace)" is longer than what it is made of may be.
    return {.size = static_cast<double>(std::max<std::size_t>(n, 21))};
  }

  extent unqualified() {
    accept('L');
    extent e;
    if (is_digit(peek())) {
      e = source_name();
      last_name_ = e.size;
    } else if (is_lower(peek())) {
      if (peek() == 'c' && peek(1) == 'v') throw not_followed{};
      const bool literal = peek() == 'l' && peek(1) == 'i';
      at_ += 2;
      e.size = 24;  // "operator delete[]"
      if (literal) e += source_name();
    } else if ((peek() == 'C' || peek() == 'D') && is_digit(peek(1))) {
      at_ += 2;
      e.size = last_name_ + 1;
    } else if (peek() == 'U' && peek(1) == 't') {
      at_ += 2;
      e = numbered(20);
      candidate(e);
    } else if (peek() == 'U' && peek(1) == 'l') {
      e = lambda();
    } else {
      throw not_followed{};
    }
    while (accept('B')) e.size += source_name().size + 6;
    return e;
  }

  extent numbered(double size) {
    number();
    skip("_");
    return {.size = size + 20};
  }

  /// Its own template parameters print as "auto:1".
  extent lambda() {
    const nesting n{depth_};
    skip("Ul");
    extent e{.size = 12};
    ++in_types_;
    while (!accept('E')) {
      e += type();
      e.size += 2;
    }
    --in_types_;
    e = {.size = e.size + 10 * e.parameters + numbered(0).size};
    // Some versions of the demangler make it a candidate, others not.
    candidate(e);
    ++perhaps_;
    return e;
  }

  extent template_arguments() {
    const nesting n{depth_};
    ++at_;  // I or J
    extent all{.size = 4};
    double count = 0;
    const double last = last_name_;
    for (; !accept('E'); ++count) {
      extent argument;
      if (peek() == 'L') {
        argument = literal();
      } else if (peek() == 'I' || peek() == 'J') {
        argument = template_arguments();
      } else if (accept('X')) {
        argument = expression();
        skip("E");
      } else {
        argument = type();
      }
      if (argument.parameters > 0 && in_types_ == 0) throw not_followed{};
      if (argument.parameters == 0) {
        largest_argument_ = std::max(largest_argument_, argument.size + 2);
      }
      all += argument;
      all.size += 2;
    }
    last_name_ = last;
    largest_pack_ = std::max(largest_pack_, count);
    return all;
  }

  extent literal() {
    skip("L");
    extent e;
    if (peek() == '_' && peek(1) == 'Z') {
      at_ += 2;
      e = encoding();
      skip("E");
      return e;
    }
    e = type();
    for (; peek() != 'E'; ++at_, ++e.size) {
      if (at_ >= text_.size()) throw not_followed{};
    }
    ++at_;
    e.size += 4;
    return e;
  }

  /// Those that conditions on template arguments are made of.
  extent expression() {
    const nesting n{depth_};
    if (peek() == 'L') return literal();
    if (peek() == 'T') return parameter();
    if (is_digit(peek())) {
      extent call = unqualified();
      if (peek() == 'I') call += template_arguments();
      return call;
    }
    const std::string_view operation = text_.substr(std::min(at_, text_.size()), 2);
    const auto is_one_of = [&](std::initializer_list<std::string_view> all) {
      return std::ranges::find(all, operation) != all.end();
    };
    at_ += operation.size();
    extent e{.size = 12};
    if (operation == "sr") {
      e += type();
      e += unqualified();
      if (peek() == 'I') e += template_arguments();
    } else if (operation == "sp") {
      const extent pattern = expression();
      const double n_of_pack = std::max(1.0, largest_pack_);
      e.size += n_of_pack * (pattern.size + 4);
      e.parameters = n_of_pack * pattern.parameters;
    } else if (operation == "sZ") {
      e += parameter();
    } else if (operation == "st") {
      e += type();
    } else if (is_one_of({"nt", "ng"})) {
      e += expression();
    } else if (is_one_of({"aa", "oo", "eq", "ne", "lt", "gt", "le", "ge", "pl", "mi", "ml", "an",
                          "or"})) {
      e += expression();
      e += expression();
    } else {
      throw not_followed{};
    }
    return e;
  }

  extent parameter() {
    skip("T");
    number();
    skip("_");
    if (in_types_ == 0) throw not_followed{};
    return {.size = 2, .parameters = 1};
  }

  extent substitution() {
    skip("S");
    if (is_lower(peek())) {
      ++at_;
      // The longest has all arguments of std::basic_string.
      return {.size = 80};
    }
    std::size_t index = 0;
    if (peek() != '_') {
      for (; is_digit(peek()) || std::isupper(static_cast<unsigned char>(peek())) != 0; ++at_) {
        const char c = peek();
        index = 36 * index + static_cast<std::size_t>(is_digit(c) ? c - '0' : c - 'A' + 10);
        if (index > text_.size()) throw not_followed{};
      }
      ++index;
    }
    skip("_");
    if (index >= candidates_.size()) throw not_followed{};
    extent e;
    const std::size_t last = std::min(index + perhaps_, candidates_.size() - 1);
    for (std::size_t i = index; i <= last; ++i) {
      e.size = std::max(e.size, candidates_[i].size);
      e.parameters = std::max(e.parameters, candidates_[i].parameters);
    }
    return e;
  }

  extent function_type() {
    skip("F");
    accept('Y');
    extent e{.size = 8};
    while (!accept('E')) {
      if (peek() == 'R' || peek() == 'O') {
        if (peek(1) == 'E') {
          ++at_;
          continue;
        }
      }
      e += type();
      e.size += 2;
    }
    return e;
  }

  extent type() {
    const nesting n{depth_};
    extent e;
    const char c = peek();
    const bool qualifies = c == 'r' || c == 'V' || c == 'K' || (c == 'D' && peek(1) == 'o');
    if (qualifies) {
      while (peek() == 'r' || peek() == 'V' || peek() == 'K' || (peek() == 'D' && peek(1) == 'o')) {
        at_ += peek() == 'D' ? 2 : 1;
        e.size += 10;
      }
      e += peek() == 'F' ? function_type() : type();
    } else if (is_lower(c)) {
      if (c == 'u') throw not_followed{};
      ++at_;
      return {.size = 20};  // "unsigned long long"
    } else if (c == 'P' || c == 'R' || c == 'O' || c == 'C' || c == 'G') {
      ++at_;
      e = type();
      e.size += 12;
    } else if (c == 'F') {
      e = function_type();
    } else if (c == 'A') {
      ++at_;
      const std::size_t from = at_;
      number();
      e.size = static_cast<double>(at_ - from) + 6;
      skip("_");
      e += type();
    } else if (c == 'M') {
      ++at_;
      e = type();
      e += type();
      e.size += 8;
    } else if (c == 'T') {
      e = parameter();
      if (peek() == 'I') {
        candidate(e);
        e += template_arguments();
      }
    } else if (c == 'D') {
      return special_type();
    } else if (c == 'S' && peek(1) != 't') {
      e = substitution();
      if (peek() != 'I') return e;
      e += template_arguments();
    } else if (c == 'N' || c == 'Z' || c == 'S' || is_digit(c) || c == 'L' || c == 'U') {
      e = name();
    } else {
      throw not_followed{};
    }
    candidate(e);
    return e;
  }

  extent special_type() {
    skip("D");
    const char c = peek();
    if (c == 'p') {
      ++at_;
      extent e = type();
      const double n = std::max(1.0, largest_pack_);
      e = {.size = n * (e.size + 4), .parameters = n * e.parameters};
      candidate(e);
      return e;
    }
    if (std::string_view{"acdefhinsu"}.find(c) == std::string_view::npos) throw not_followed{};
    ++at_;
    return {.size = 20};  // "decltype(nullptr)"
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  int in_types_ = 0;          // of a function or lambda: only there T_ may stand
  bool is_template_ = false;  // the last part of the name that was read
  std::vector<extent> candidates_;
  std::size_t perhaps_ = 0;  // candidates that may be none
  double last_name_ = 0;
  double largest_argument_ = 0;
  double largest_pack_ = 0;
};

}  // namespace

std::optional<double> demangled_size(std::string_view name) {
  try {
    return parser{name}.whole();
  } catch (not_followed const&) {
    return std::nullopt;
  }
}

}  // namespace memprof::symbolize
