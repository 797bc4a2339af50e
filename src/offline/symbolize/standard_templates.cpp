// SPDX-License-Identifier: MIT
#include "symbolize/standard_templates.hpp"

#include <algorithm>
#include <iterator>

namespace memprof::symbolize {
namespace {

/// Templates of the standard library whose arguments after the first `given` have defaults.
struct defaulted {
  std::string_view name;
  unsigned given;
};
constexpr defaulted templates[] = {
    {"vector", 1},
    {"deque", 1},
    {"list", 1},
    {"forward_list", 1},
    {"set", 1},
    {"multiset", 1},
    {"unordered_set", 1},
    {"unordered_multiset", 1},
    {"map", 2},
    {"multimap", 2},
    {"unordered_map", 2},
    {"unordered_multimap", 2},
    {"unique_ptr", 1},
    {"basic_string", 1},
    {"basic_string_view", 1},
    {"basic_ios", 1},
    {"basic_istream", 1},
    {"basic_ostream", 1},
    {"basic_iostream", 1},
    {"basic_streambuf", 1},
    {"basic_filebuf", 1},
    {"basic_ifstream", 1},
    {"basic_ofstream", 1},
    {"basic_fstream", 1},
    {"basic_stringbuf", 1},
    {"basic_istringstream", 1},
    {"basic_ostringstream", 1},
    {"basic_stringstream", 1},
    {"_Vector_base", 1},
    {"_Deque_base", 1},
    {"_List_base", 1},
    {"_Fwd_list_base", 1},
};

/// std::basic_string<char> is std::string, and so on.
constexpr std::string_view of_characters[] = {
    "string",   "string_view", "ios",           "istream",       "ostream",
    "iostream", "streambuf",   "filebuf",       "ifstream",      "ofstream",
    "fstream",  "stringbuf",   "istringstream", "ostringstream", "stringstream",
};

}  // namespace

void drop_default_arguments(std::string_view name, std::vector<std::string>& arguments) {
  auto const* const known = std::ranges::find(templates, name, &defaulted::name);
  if (known == std::end(templates) || arguments.empty()) return;
  const auto is_default = [&](std::string_view a) {
    for (std::string_view of : {"std::allocator<", "std::char_traits<", "std::less<", "std::hash<",
                                "std::equal_to<", "std::default_delete<"}) {
      if (!a.starts_with(of) || !a.ends_with('>')) continue;
      a.remove_prefix(of.size());
      a.remove_suffix(1);
      while (a.ends_with(' ')) a.remove_suffix(1);
      if (a == arguments[0]) return true;
      return known->given == 2 && arguments.size() > 1 &&
             a == "std::pair<" + arguments[0] + " const, " + arguments[1] +
                      (arguments[1].ends_with('>') && a.ends_with("> >") ? " >" : ">");
    }
    return false;
  };
  while (arguments.size() > known->given && is_default(arguments.back())) arguments.pop_back();
}

std::string alias_of(std::string_view name, std::vector<std::string> const& arguments) {
  if (arguments.size() != 1 || !name.starts_with("basic_")) return {};
  const bool wide = arguments[0] == "wchar_t";
  if (!wide && arguments[0] != "char") return {};
  const std::string_view plain = name.substr(6);
  if (std::ranges::find(of_characters, plain) == std::end(of_characters)) return {};
  return (wide ? "std::w" : "std::") + std::string{plain};
}

}  // namespace memprof::symbolize
