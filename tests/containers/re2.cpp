// SPDX-License-Identifier: MIT
// Library: RE2
// Package: libre2-dev
// Modules: re2
#include <re2/re2.h>
#include <re2/set.h>

#include "survey.hpp"

int main(int count, char** arguments) {
  containers::survey s(count, arguments);
  s.function("RE2", "compile, match", [] {
    RE2 const expression("(a|b)*c{2,3}(?P<name>[x-z]+)$");
    std::string name;
    CHECK(RE2::PartialMatch("ababccxyz", expression, nullptr, &name));
  });
  s.function("RE2::Set", "Add, Compile, Match", [] {
    RE2::Set set(RE2::Options(), RE2::UNANCHORED);
    for (char const* e : {"ab+", "[0-9]+", "x(y|z)"}) set.Add(e, nullptr);
    CHECK(set.Compile());
    std::vector<int> which;
    CHECK(set.Match("123 abb", &which));
  });
  return s.run();
}
