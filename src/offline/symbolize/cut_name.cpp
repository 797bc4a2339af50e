// SPDX-License-Identifier: MIT
#include "symbolize/cut_name.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "symbolize/name_brackets.hpp"

namespace memprof::symbolize {
namespace {

constexpr std::string_view sign = "...";
constexpr std::string_view nameless = "(anonymous namespace)";

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// Leaves out what is in brackets of this kind, until the name fits.
std::string without_arguments(std::string_view name, char kind, std::size_t longest) {
  const std::vector<bracket_pair> all = brackets_of(name);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].kind == kind && !name.substr(all[i].open).starts_with(nameless)) order.push_back(i);
  }
  // Of equally deep ones the longest first: fewer are lost.
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    if (all[a].depth != all[b].depth) return all[a].depth > all[b].depth;
    return all[a].close - all[a].open > all[b].close - all[b].open;
  });
  std::vector<std::size_t> inside;  // bytes that are left between the brackets
  for (bracket_pair const& p : all) inside.push_back(p.close - p.open - 1);
  std::vector<bool> left_out(all.size());
  std::size_t size = name.size();
  for (std::size_t i : order) {
    if (size <= longest) break;
    if (inside[i] <= sign.size()) continue;
    const std::size_t saved = inside[i] - sign.size();
    left_out[i] = true;
    size -= saved;
    for (std::size_t k = all[i].around; k != no_bracket; k = all[k].around) inside[k] -= saved;
  }
  std::string text;
  std::size_t from = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!left_out[i] || all[i].open < from) continue;
    text.append(name.substr(from, all[i].open + 1 - from)).append(sign);
    from = all[i].close;
  }
  return text.append(name.substr(from));
}

/// Where the function's own name begins, after what encloses it and its return type.
std::size_t own_name(std::string_view name) {
  const std::vector<bracket_pair> all = brackets_of(name);
  auto p = all.begin();
  std::size_t from = 0;
  bool qualifiers = false;  // "f() const": what comes after arguments begins no name
  for (std::size_t i = 0; i < name.size();) {
    while (p != all.end() && p->open < i) ++p;
    if (p != all.end() && p->open == i) {
      i = p->close + 1;
    } else if (name.substr(i).starts_with("::")) {
      i += 2;
      from = i;
      qualifiers = false;
    } else if (name[i] == ' ' && !qualifiers) {
      // "operator bool", "operator new": the type is part of the name.
      if (name.substr(from).starts_with("operator")) break;
      qualifiers = i > 0 && name[i - 1] == ')';
      if (!qualifiers) from = i + 1;
      ++i;
    } else {
      ++i;
    }
  }
  return from;
}

/// "..." and the end of the name, or, if its own name is too long for that, the beginning of that.
std::string without_scopes(std::string_view name, std::size_t longest) {
  const std::size_t room = longest - sign.size();
  const std::size_t own = own_name(name);
  if (name.size() - own <= room) {
    std::size_t from = name.size() - room;
    // At the beginning of a component, if one begins there before the own name.
    const std::size_t next = name.find("::", from);
    if (next < own) from = next;
    while (from < own && continues_character(name[from])) ++from;
    return std::string{sign}.append(name.substr(from));
  }
  std::size_t end = own + room;
  while (end > own && continues_character(name[end])) --end;
  return std::string{name.substr(own, end - own)}.append(sign);
}

}  // namespace

std::string cut_name(std::string_view name, std::size_t longest, std::string_view mark) {
  if (name.size() <= longest) return std::string{name};
  longest -= mark.size();
  std::string text = without_arguments(name, '<', longest);
  if (text.size() > longest) text = without_arguments(text, '(', longest);
  if (text.size() > longest) text = without_scopes(text, longest);
  if (const std::size_t last = text.rfind(sign); last != std::string::npos) {
    text.insert(last + sign.size(), mark);
  }
  return text;
}

std::string mark_of(std::string_view name) {
  // FNV-1a: the same on every machine and in every run.
  std::uint32_t hash = 2166136261u;
  for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  static constexpr char digits[] = "0123456789abcdef";
  std::string mark = "#";
  for (int shift = 20; shift >= 0; shift -= 4) mark += digits[hash >> shift & 15];
  return mark;
}

}  // namespace memprof::symbolize
