// SPDX-License-Identifier: MIT
#include "symbolize/brief_name.hpp"

#include <algorithm>
#include <vector>

#include "symbolize/name_brackets.hpp"

namespace memprof::symbolize {
namespace {

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

/// The text between two positions becomes `sign`.
struct replacement {
  std::size_t from, to;
  std::string_view sign;
  std::size_t saves;  // columns
};

std::string replaced(std::string_view name, std::vector<replacement> all) {
  std::ranges::sort(all, {}, &replacement::from);
  std::string text;
  std::size_t at = 0;
  for (replacement const& r : all) {
    text.append(name.substr(at, r.from - at)).append(r.sign);
    at = r.to;
  }
  return text.append(name.substr(at));
}

/// Without the longest of `all`, as many as it takes.
std::string without_some(std::string_view name, std::vector<replacement> all, std::size_t width) {
  std::ranges::stable_sort(all, std::ranges::greater{}, &replacement::saves);
  std::size_t now = width_of(name), count = 0;
  for (; count < all.size() && now > width; ++count) now -= all[count].saves;
  all.resize(count);
  return replaced(name, std::move(all));
}

void add(std::vector<replacement>& to, std::string_view name, std::size_t from, std::size_t end,
         std::string_view sign, std::size_t sign_width) {
  const std::size_t width = width_of(name.substr(from, end - from));
  if (width > sign_width) to.push_back({from, end, sign, width - sign_width});
}

std::string without_template_arguments(std::string_view name, std::size_t width,
                                       elision const& sign) {
  std::vector<replacement> found;
  std::size_t after = 0;
  for (bracket_pair const& p : brackets_of(name)) {
    // The outermost ones; in "{lambda(a<b>)#1}" that is inside of others.
    if (p.kind != '<' || p.open < after) continue;
    add(found, name, p.open, p.close + 1, sign.arguments, sign.arguments_width);
    after = p.close;
  }
  return without_some(name, std::move(found), width);
}

std::string without_arguments(std::string_view name, std::size_t width, elision const& sign) {
  static constexpr std::string_view nameless = "(anonymous namespace)";
  std::vector<replacement> found;
  std::size_t after = 0;
  for (bracket_pair const& p : brackets_of(name)) {
    if (p.kind != '(' || p.open < after || name.substr(p.open).starts_with(nameless)) continue;
    add(found, name, p.open + 1, p.close, sign.text, sign.text_width);
    after = p.close;
  }
  return without_some(name, std::move(found), width);
}

/// The end says more: it is the function's own name.
std::string without_middle(std::string_view name, std::size_t width, elision const& sign) {
  const std::size_t room = width - sign.text_width;
  const std::size_t head = room / 3;
  const std::size_t all = width_of(name);
  std::size_t from = 0, to = 0;
  for (std::size_t i = 0, column = 0; i < name.size(); ++i) {
    if (!begins_character(name[i])) continue;
    if (column == head) from = i;
    if (column == all - (room - head)) to = i;
    ++column;
  }
  return std::string{name.substr(0, from)}.append(sign.text).append(name.substr(to));
}

}  // namespace

/// "f src/b/a.cpp:3" is "f a.cpp:3". Spaces separate a position from its function.
static std::string without_folders(std::string text) {
  const std::size_t slash = text.rfind('/');
  const std::size_t space = text.rfind(' ', slash);
  if (slash == std::string::npos || space == std::string::npos) return text;
  return text.erase(space + 1, slash - space);
}

/// "libfoo.so+0x12ab@30563306a0d30a4a" is "libfoo.so+0x12ab".
static std::string_view without_build_id(std::string_view name) {
  static constexpr std::string_view digits = "0123456789abcdef";
  const std::size_t at = name.rfind('@');
  if (at == std::string_view::npos || at + 1 == name.size() ||
      name.find_first_not_of(digits, at + 1) != std::string_view::npos) {
    return name;
  }
  const std::size_t address = name.substr(0, at).rfind("+0x");
  if (address == std::string_view::npos || name.find_first_not_of(digits, address + 3) != at) {
    return name;
  }
  return name.substr(0, at);
}

std::string brief_name(std::string_view name, std::size_t width, elision const& sign) {
  width = std::max(width, shortest_brief_name);
  if (width_of(name) <= width) return std::string{name};
  name = without_build_id(name);
  if (width_of(name) <= width) return std::string{name};
  std::string text = without_template_arguments(name, width, sign);
  if (width_of(text) > width) text = without_arguments(text, width, sign);
  if (width_of(text) > width) text = without_folders(text);
  if (width_of(text) > width) text = without_middle(text, width, sign);
  return text;
}

}  // namespace memprof::symbolize
