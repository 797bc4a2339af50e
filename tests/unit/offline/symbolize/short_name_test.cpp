// SPDX-License-Identifier: MIT
#include "symbolize/short_name.hpp"

#include <chrono>
#include <utility>

#include "support/catch2.hpp"

using memprof::symbolize::demangle;
using memprof::symbolize::short_name;

TEST_CASE("names are shortened") {
  const auto [from, to] = GENERATE(table<std::string, std::string>({
      {"main", "main"},
      {"f(int)", "f"},
      {"ns::f(int, char const*) const", "ns::f"},
      {"ns::f(int) const &", "ns::f"},
      {"f(int) [clone .isra.0]", "f"},
      {"f(int) [clone .constprop.0] [clone .cold]", "f"},
      {"parse.part.0", "parse"},
      {"parse.cold", "parse"},
      {"(anonymous namespace)::f()", "(anonymous namespace)::f"},
      {"a::(anonymous namespace)::b::f(void (*)(int))", "a::(anonymous namespace)::b::f"},
      {"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::append("
       "char const*)",
       "std::string::append"},
      {"std::vector<int, std::allocator<int> >::push_back(int const&)",
       "std::vector<int>::push_back"},
      {"std::vector<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> "
       ">, std::allocator<std::__cxx11::basic_string<char, std::char_traits<char>, "
       "std::allocator<char> > > >::~vector()",
       "std::vector<std::string>::~vector"},
      {"std::map<int, std::vector<long, std::allocator<long> >, std::less<int>, "
       "std::allocator<std::pair<int const, std::vector<long, std::allocator<long> > > > "
       ">::operator[](int&&)",
       "std::map<int, std::vector<long>>::operator[]"},
      {"std::unordered_map<int, char, std::hash<int>, std::equal_to<int>, "
       "std::allocator<std::pair<int const, char> > >::find(int const&)",
       "std::unordered_map<int, char>::find"},
      // Not the defaults, or not of the library.
      {"std::vector<int, my::allocator<int> >::data()",
       "std::vector<int, my::allocator<int>>::data"},
      {"std::vector<int, std::allocator<long> >::data()",
       "std::vector<int, std::allocator<long>>::data"},
      {"my::vector<int, std::allocator<int> >::data()",
       "my::vector<int, std::allocator<int>>::data"},
      {"std::pair<int, std::allocator<int> >::pair()", "std::pair<int, std::allocator<int>>::pair"},
      {"std::set<int, std::greater<int>, std::allocator<int> >::set()",
       "std::set<int, std::greater<int>>::set"},
      {"my::__cxx11::f()", "my::__cxx11::f"},
      {"std::__1::vector<int, std::__1::allocator<int> >::data()", "std::vector<int>::data"},
      {"std::ostream::operator<<(int)", "std::ostream::operator<<"},
      {"std::basic_ostream<char, std::char_traits<char> >& std::operator<< "
       "<std::char_traits<char> >(std::basic_ostream<char, std::char_traits<char> >&, char const*)",
       "std::operator<< <std::char_traits<char>>"},
      {"std::unique_ptr<a::b, std::default_delete<a::b> >::get() const",
       "std::unique_ptr<a::b>::get"},
      // Return types.
      {"void ns::f<long>(long)", "ns::f<long>"},
      {"unsigned long std::max<unsigned long>(unsigned long const&)", "std::max<unsigned long>"},
      {"decltype (x + y) f<int>(int)", "f<int>"},
      {"auto f<int>(int)::{lambda(auto:1)#1}::operator()<int>(int) const",
       "f<int>::{lambda(auto:1)#1}::operator()<int>"},
      // Lambdas, local things, operators.
      {"void ns::f<long>(long)::{lambda(int)#1}::operator()(int) const",
       "ns::f<long>::{lambda(int)#1}::operator()"},
      {"sample::derived::run(std::vector<int, std::allocator<int> >&)::local::helper(int)",
       "sample::derived::run::local::helper"},
      {"f() const::{lambda()#2}::operator()() const", "f::{lambda()#2}::operator()"},
      {"a::operator()(int)", "a::operator()"},
      {"a::operator<(a const&) const", "a::operator<"},
      {"a::operator->()", "a::operator->"},
      {"a::operator->*(int)", "a::operator->*"},
      {"bool a::operator> <int>(int)", "a::operator> <int>"},
      {"a::operator<=>(a const&) const", "a::operator<=>"},
      {"a::operator bool() const", "a::operator bool"},
      {"a::operator unsigned long() const", "a::operator unsigned long"},
      {"a::operator std::vector<int, std::allocator<int> > const&()",
       "a::operator std::vector<int> const&"},
      {"operator new(unsigned long)", "operator new"},
      {"operator new[](unsigned long, std::align_val_t)", "operator new[]"},
      {"operator delete(void*)", "operator delete"},
      {"operator\"\" _x(char const*)", "operator\"\"_x"},
      {"non-virtual thunk to a::f(int)", "non-virtual thunk to a::f"},
      // Argument types of templates are kept, those of functions in them as well.
      {"void call<void (*)(int, char)>(void (*)(int, char))", "call<void (*)(int, char)>"},
      {"std::function<int (char)>::operator()(char) const",
       "std::function<int (char)>::operator()"},
      {"f<(e)1, -2, &(g(int))>()", "f<(e)1, -2, &(g(int))>"},
      {"std::array<int, ((3)>(2))>::size()", "std::array<int, ((3)>(2))>::size"},
      {"std::string to_text[abi:cxx11](int)", "to_text"},
  }));
  CHECK(short_name(from) == to);
}

TEST_CASE("arguments can be kept") {
  CHECK(short_name("ns::f(std::vector<int, std::allocator<int> > const&) const", true) ==
        "ns::f(std::vector<int> const&) const");
}

TEST_CASE("what is not understood stays") {
  for (std::string name : {"void (*f<int>(int))(char)",
                           "f(",
                           "f<",
                           "f<int",
                           "f>",
                           "a)b",
                           "f(int))",
                           "operator",
                           "a::operator",
                           "f<a<b>",
                           "",
                           " ",
                           "<>",
                           "()",
                           "::",
                           "f(int) garbage",
                           "std::vector<",
                           "{",
                           "}",
                           "\"",
                           "f [clone",
                           "f() [clone"}) {
    CAPTURE(name);
    CHECK(short_name(name) == name);
  }
  const std::string deep = std::string(30000, '<');
  CHECK(short_name("a" + deep) == "a" + deep);
  std::string nested;
  for (int i = 0; i < 20000; ++i) nested += "a<";
  CHECK(short_name(nested) == nested);
}

// By clang++-19: std::map's operator[], a parameter of a template with enable_if, a constraint.
TEST_CASE("what is not understood of a template's arguments is left out") {
  char const* const pair =
      "_ZNSt4pairIKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEN7metrics5routeEEC2IJRS6_"
      "EJLm0EEJETpTnmJEEERSt5tupleIJDpT_EERSC_IJDpT1_EESt12_Index_tupleIJXspT0_EEESL_IJXspT2_EEE";
  CHECK(short_name(demangle(pair)) == "std::pair<std::string const, metrics::route>::pair<...>");
  CHECK(demangle("_Z4takeIiTnNSt9enable_ifIXsr3std11is_integralIT_EE5valueEiE4typeELi0EEvS1_") ==
        "take<...>");
  CHECK(demangle("_ZNK2ns4take4thisITkNS_5smallEiEEvT_") == "ns::take::this<...>");
  // Nothing could be left out, a name within another function, and a name with an I in it.
  for (char const* name :
       {"_ZN2ns1fETn", "_ZZN2ns4takeITkNS_5smallEiEEvT_ENKUlvE_clEv", "_ZN2ns6takeItE_"}) {
    CHECK(demangle(name) == name);
  }
}

TEST_CASE("names are demangled, within bounds") {
  CHECK(demangle("_ZN2ns1fEi") == "ns::f(int)");
  CHECK(demangle("main") == "main");
  CHECK(demangle("_Zgarbage") == "_Zgarbage");
  CHECK(demangle("i") == "i");  // a type, to a demangler of types
  // Each pair holds the one before twice: 2^200 characters.
  std::string bomb = "_Z1f1a4pairIS_S_E";
  static constexpr char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const auto substitution = [&](unsigned n) {
    std::string s = "S";
    if (n > 36) s += digits[(n - 1) / 36];
    if (n > 0) s += digits[(n - 1) % 36];
    return s + "_";
  };
  for (unsigned i = 1; i < 100; ++i) {
    const std::string last = substitution(i + 1);
    bomb += "S0_I" + last + last + "E";
  }
  CHECK(demangle(bomb) == bomb);
  // A name that repeats much and yet means little: 60 substitutions of one short part.
  std::string repeats = "_Z1fISt6vectorIiSaIiEE";
  std::string arguments = "std::vector<int, std::allocator<int> >";
  for (int i = 0; i < 60; ++i) {
    repeats += "S2_";
    arguments += ", std::vector<int, std::allocator<int> >";
  }
  CHECK(demangle(repeats + "EvT_") ==
        "void f<" + arguments + " >(std::vector<int, std::allocator<int> >)");
}
