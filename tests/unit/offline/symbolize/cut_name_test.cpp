// SPDX-License-Identifier: MIT
#include "symbolize/cut_name.hpp"

#include <algorithm>
#include <filesystem>
#include <random>
#include <set>

#include "support/catch2.hpp"
#include "symbolize/elf_image.hpp"
#include "symbolize/name_brackets.hpp"
#include "symbolize/short_name.hpp"

using memprof::symbolize::brackets_of;
using memprof::symbolize::cut_name;
using memprof::symbolize::mark_of;

namespace {

/// The function's own name, found in another way than cut_name does: what remains at the end when
/// all brackets are empty. Only for names without arguments of functions.
std::string own_name(std::string_view name) {
  std::string plain;
  std::size_t from = 0;
  for (auto const& p : brackets_of(name)) {
    if (p.open < from || p.kind != '<') continue;
    plain += name.substr(from, p.open + 1 - from);
    from = p.close;
  }
  plain += name.substr(from);
  if (const auto at = plain.rfind("operator"); at != plain.npos) return plain.substr(at, 9);
  plain = plain.substr(std::min(plain.rfind("::"), plain.size() - 2) + 2);
  return plain.substr(0, plain.find('<'));
}

void check(std::string const& name, std::size_t longest) {
  CAPTURE(name, longest);
  const std::string cut = cut_name(name, longest);
  CHECK(cut == cut_name(name, longest));
  if (name.size() <= longest) {
    CHECK(cut == name);
    return;
  }
  CHECK(cut.size() <= longest);
  CHECK(cut.find("...") != cut.npos);
  const std::string marked = cut_name(name, longest, "#abcdef");
  CHECK(marked.size() <= longest);
  CHECK(marked.find("...#abcdef") != marked.npos);
}

}  // namespace

TEST_CASE("names that are too long lose template arguments, then scopes") {
  const auto [longest, from, to] = GENERATE(table<std::size_t, std::string, std::string>({
      {40, "a::map<int, std::vector<b::c>>::find", "a::map<int, std::vector<b::c>>::find"},
      {35, "a::map<int, std::vector<b::c>>::find", "a::map<int, std::vector<...>>::find"},
      {34, "a::map<int, std::vector<b::c>>::find", "a::map<...>::find"},
      // The longest of the deepest first, and no more than needed.
      {38, "f<a<long long>, a<unsigned long>, a<int>>", "f<a<long long>, a<...>, a<int>>"},
      {32, "f<a<long long long>, a<unsigned long>, a<int>>", "f<a<...>, a<...>, a<int>>"},
      // Nothing is shorter than a few characters.
      {32, "some_namespace::function<int, a<b>, char, a<d>>", "some_namespace::function<...>"},
      {40, "ns::outer<int>::inner<some::type::of::mine>::run<unsigned long>",
       "ns::outer<int>::inner<...>::run<...>"},
      // Operators, comparisons and arrows are not template arguments.
      {34, "std::operator<< <std::char_traits<char>>", "std::operator<< <...>"},
      {34, "abcdefgh::operator< <ijklmnop, qrstuvw, xyz>", "abcdefgh::operator< <...>"},
      {36, "abcdefghi::operator()<jklmnop, qrstuvw, xyz>", "abcdefghi::operator()<...>"},
      {36, "abcdefghi::operator-><jklmnop, qrstuvw, xyz>", "abcdefghi::operator-><...>"},
      {36, "abcdefghi::operator==<jklmnop, qrstuvw, xyz>", "abcdefghi::operator==<...>"},
      {36, "array<int, ((3)>(2)), long, long, long>::size", "array<...>::size"},
      {36, "array<decltype(a->b), long, long, long>::size", "array<...>::size"},
      // Arguments of functions come after those of templates; a number of a lambda is kept.
      {41, "f<a::b>(std::string const&, int)::{lambda(long, long)#12}::operator()",
       "f<...>(...)::{lambda(...)#12}::operator()"},
      {36, "(anonymous namespace)::f(std::string const&)", "(anonymous namespace)::f(...)"},
      // Then what encloses the function.
      {32, "first_namespace::second_namespace::third_one::run", "...::third_one::run"},
      {32, "first_namespace::second_namespace_that_is_very_long::run", "...::run"},
      {32, "void first_namespace::second_namespace::run<int>(int) const",
       "...::run<int>(int) const"},
      {32, "first_namespace::a_function_whose_own_name_is_too_long",
       "a_function_whose_own_name_is_..."},
      {32, "a_function_of_C_whose_own_name_is_too_long", "a_function_of_C_whose_own_nam..."},
      {32, "first_namespace::class_name::operator unsigned long", "...::operator unsigned long"},
  }));
  CAPTURE(from);
  CHECK(cut_name(from, longest) == to);
}

TEST_CASE("a mark tells names apart that look alike") {
  const std::string a = "some_namespace::function<first_type, second_type>";
  const std::string b = "some_namespace::function<first_type, another_type>";
  CHECK(cut_name(a, 40) == cut_name(b, 40));
  CHECK(cut_name(a, 40, mark_of(a)) != cut_name(b, 40, mark_of(b)));
  CHECK(cut_name(a, 40, "#123456") == "some_namespace::function<...#123456>");
  CHECK(cut_name(a, 100, "#123456") == a);
  CHECK(mark_of("") == "#1c9dc5");
}

TEST_CASE("the names of this program, cut") {
  std::string reason;
  const auto image =
      memprof::symbolize::elf_image::open(std::filesystem::canonical("/proc/self/exe"), reason);
  REQUIRE(image != nullptr);
  std::set<std::string> seen;
  std::size_t cut = 0;
  for (auto const& s : image->functions(false)) {
    const std::string whole = memprof::symbolize::demangle(s.name);
    const std::string name = memprof::symbolize::short_name(whole);
    if (!seen.insert(name).second) continue;
    for (std::size_t longest : {32u, 64u, 120u, 400u}) {
      check(name, longest);
      check(whole, longest);
      if (name.size() <= longest || name == whole) continue;
      ++cut;
      const std::string own = own_name(name);
      CAPTURE(name, longest);
      if (own.size() + 3 <= longest) CHECK(cut_name(name, longest).find(own) != std::string::npos);
    }
  }
  CHECK(cut > 500);
}

TEST_CASE("anything can be cut") {
  std::mt19937 random{5};
  static constexpr std::string_view pieces[] = {
      "<", ">",        "(",  ")",   "{",        "}", "::", "a",         "bc", " ",
      ",", "operator", "->", "...", "\xc3\xa9", "[", "]",  "operator<", "~x", "const"};
  for (int i = 0; i < 3000; ++i) {
    std::string name;
    for (auto n = random() % 60; n > 0; --n) name += pieces[random() % std::size(pieces)];
    check(name, 32 + random() % 40);
  }
  check(std::string(60000, '<'), 32);
  check("a" + std::string(60000, '('), 32);
  std::string nested;
  for (int i = 0; i < 20000; ++i) nested += "a<";
  check(nested + std::string(20000, '>'), 64);
}
