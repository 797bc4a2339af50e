// SPDX-License-Identifier: MIT
#include "delivery/decide/mangled_name.hpp"

#include <cstdint>

#include "base/base.hpp"

namespace memprof::delivery {
namespace {

constexpr bool is_decimal(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_lower(char c) noexcept { return c >= 'a' && c <= 'z'; }

/// Reads a name from its beginning. What it does not understand makes it fail, and it stays so.
class name_reader {
 public:
  name_reader(std::string_view name, std::span<name_part, most_name_parts> parts) noexcept
      : name_(name), parts_(parts) {}

  std::size_t read() noexcept {
    if (!skip('_') || !skip('Z')) return 0;
    while (skip('Z')) {  // local to the function that follows
    }
    if (skip('N')) {
      read_nested();
    } else {
      if (skip_text("St")) add("std");
      skip('L');
      read_source_name();
      read_arguments();
    }
    return failed_ ? 0 : count_;
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const noexcept {
    return at_ + ahead < name_.size() ? name_[at_ + ahead] : '\0';
  }
  bool skip(char c) noexcept {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  bool skip_text(std::string_view text) noexcept {
    if (!name_.substr(at_).starts_with(text)) return false;
    at_ += text.size();
    return true;
  }
  void skip_digits() noexcept {
    while (is_decimal(peek())) ++at_;
  }
  void fail() noexcept { failed_ = true; }

  void add(std::string_view identifier) noexcept {
    if (count_ == parts_.size()) return fail();
    parts_[count_++] = {identifier, false};
  }

  /// The identifier behind a number, its length; empty and failed if there is none.
  std::string_view source_name() noexcept {
    std::size_t length = 0;
    if (!is_decimal(peek())) fail();
    while (is_decimal(peek()) && length <= name_.size()) {
      length = 10 * length + static_cast<std::size_t>(name_[at_++] - '0');
    }
    if (length > name_.size() - at_) fail();
    if (failed_) return {};
    at_ += length;
    return name_.substr(at_ - length, length);
  }
  void read_source_name() noexcept {
    const std::string_view identifier = source_name();
    if (!failed_) add(identifier);
  }

  /// What stands between N and E.
  void read_nested() noexcept {
    while (peek() == 'K' || peek() == 'V' || peek() == 'r' || peek() == 'R' || peek() == 'O') ++at_;
    while (!failed_ && !skip('E')) {
      const char c = peek();
      if (is_decimal(c)) {
        read_source_name();
      } else if (c == 'I') {
        read_arguments();
      } else if (c == 'S' && peek(1) == 't') {
        at_ += 2;
        add("std");
      } else if (c == 'L' || c == 'M') {  // internal linkage; a closure in an initialiser
        ++at_;
      } else if (c == 'B') {  // abi tag
        ++at_;
        source_name();
      } else if ((c == 'C' || c == 'D') && (is_decimal(peek(1)) || peek(1) == 'I') && count_ > 0) {
        at_ += 2;
        add(parts_[count_ - 1].identifier);
      } else if (c == 'U' || is_lower(c)) {
        // A lambda, an unnamed type, or an operator: what follows belongs to it.
        add("operator");
        return;
      } else {
        fail();
      }
    }
  }

  /// Template arguments, if there are some: only where they end matters.
  void read_arguments() noexcept {
    if (!skip('I')) return;
    if (count_ == 0) return fail();
    parts_[count_ - 1].has_arguments = true;
    open_.clear();
    push(bracket::plain);
    while (!open_.empty() && !failed_) step();
  }

  /// What an E closes.
  enum class bracket : std::uint8_t { plain, closure, literal_type };
  void push(bracket b) noexcept {
    if (!open_.push(b)) fail();
  }

  void step() noexcept {
    const char c = peek();
    switch (c) {
      case '\0':
        return fail();
      case 'I':
      case 'N':
      case 'X':
      case 'J':
      case 'F':
      case 'Z':
        ++at_;
        return push(bracket::plain);
      case 'E':
        ++at_;
        return close();
      case 'L':
        ++at_;
        return literal();
      case 'S':
        ++at_;
        if (is_lower(peek())) {
          ++at_;
          return;
        }
        return reference();
      case 'T':
        ++at_;
        return reference();
      case 'D':
        at_ += 2;
        if (const char d = name_[at_ - 1 < name_.size() ? at_ - 1 : 0]; d == 't' || d == 'T') {
          push(bracket::plain);
        } else if (d == 'v') {
          skip_digits();
        }
        return;
      case 'U':
        ++at_;
        if (skip('l')) return push(bracket::closure);
        if (skip('t')) reference();
        return;
      case 'A':  // of an array: its length is no identifier's
      case '_':  // a discriminator
        ++at_;
        return skip_digits();
      default:
        if (is_decimal(c)) {
          source_name();
          return;
        }
        ++at_;  // builtin types, qualifiers, operators
    }
  }

  /// Behind S, T or Ut: up to the underscore.
  void reference() noexcept {
    while (is_decimal(peek()) || (peek() >= 'A' && peek() <= 'Z')) ++at_;
    if (!skip('_')) fail();
  }

  void close() noexcept {
    auto last = bracket::plain;
    if (!open_.pop(last)) return fail();
    switch (last) {
      case bracket::plain:
        return;
      case bracket::closure:
        return reference();
      case bracket::literal_type:
        return literal_value();
    }
  }

  void literal() noexcept {
    if (skip_text("_Z")) return push(bracket::plain);
    if (skip('N')) return push(bracket::literal_type);
    if (is_decimal(peek())) {
      source_name();
    } else if (skip('S') || skip('T')) {
      is_lower(peek()) ? void(++at_) : reference();
    } else {
      at_ += peek() == 'D' ? 2 : 1;
    }
    literal_value();
  }
  /// Digits and the like, up to E.
  void literal_value() noexcept {
    while (peek() != 'E' && peek() != '\0') ++at_;
    if (!skip('E')) fail();
  }

  std::string_view name_;
  std::span<name_part, most_name_parts> parts_;
  std::size_t at_ = 0;
  std::size_t count_ = 0;
  bool failed_ = false;
  base::bounded_list<bracket, 64> open_;
};

}  // namespace

std::size_t parts_of_name(std::string_view name,
                          std::span<name_part, most_name_parts> parts) noexcept {
  return name_reader(name, parts).read();
}

}  // namespace memprof::delivery
