// SPDX-License-Identifier: MIT
#include "symbolize/brief_name.hpp"

#include <algorithm>

#include "support/catch2.hpp"

using namespace memprof::symbolize;

namespace {

std::string brief(std::string_view name, std::size_t width) {
  return brief_name(name, width, utf8_elision);
}

}  // namespace

TEST_CASE("a brief name loses template arguments, then the middle") {
  CHECK(brief("a::visitor<x, y<z>>::grow", 25) == "a::visitor<x, y<z>>::grow");
  CHECK(brief("a::visitor<x, y<z>>::grow", 24) == "a::visitor‹…›::grow");
  // The longest first: what is short may stay.
  CHECK(brief("map<int, string>::f<std::vector<int>>", 30) == "map<int, string>::f‹…›");
  CHECK(brief("map<int, string>::f<std::vector<int>>", 15) == "map‹…›::f‹…›");
  CHECK(brief("main::{lambda(a, b, c, d, e, f)#2}::operator()", 40) ==
        "main::{lambda(…)#2}::operator()");
  CHECK(brief("(anonymous namespace)::f<int, int, int>", 30) == "(anonymous namespace)::f‹…›");
  CHECK(brief("a_long_name_without_any_brackets", 16) == "a_lon…y_brackets");
  CHECK(brief("ab::visitor<xxxxxxxxx>::grow", 13) == "ab::……›::grow");
  CHECK(brief("operator<< <a_long_argument>", 20) == "operator<< ‹…›");
  CHECK(brief("libcrypto.so.3+0x22fb0d@30563306a0d30a4a", 30) == "libcrypto.so.3+0x22fb0d");
  CHECK(brief("libcrypto.so.3+0x22fb0d@30563306a0d30a4a", 20) == "libcry…so.3+0x22fb0d");
  CHECK(brief("an_address@0123456789abcdef0123", 24) == "an_addr…456789abcdef0123");
}

TEST_CASE("a brief name in ASCII") {
  CHECK(brief_name("a::visitor<x, y<z>>::grow", 24, ascii_elision) == "a::visitor<...>::grow");
  CHECK(brief_name("vector<int>::push_back", 22, ascii_elision) == "vector<int>::push_back");
  CHECK(brief_name("a_long_name_without_any_brackets", 18, ascii_elision) == "a_lon...y_brackets");
}

TEST_CASE("a brief name fits, whatever the name") {
  for (std::string_view name :
       {"", "x", "<<<<<<<<<<<<", "äöüäöüäöüäöüäöüäöü", "f<äöüäöüäöü, äöüäöü>::größe",
        "a<b<c<d<e<f>>>>>::g(h<i>)::operator->*", "\xff\xfe\xff\xfe\xff\xfe\xff\xfe\xff"}) {
    for (std::size_t width = 0; width < 40; ++width) {
      for (elision const& sign : {utf8_elision, ascii_elision}) {
        const std::string text = brief_name(name, width, sign);
        const auto columns = static_cast<std::size_t>(std::ranges::count_if(
            text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
        CAPTURE(name, width, text);
        CHECK(columns <= std::max(width, shortest_brief_name));
      }
    }
  }
}

TEST_CASE("a path loses its folders before anything loses its middle") {
  CHECK(brief_name("metrics::record examples/leaky_server/main.cpp:74", 30, utf8_elision) ==
        "metrics::record main.cpp:74");
  CHECK(brief_name("a/b", 8, utf8_elision) == "a/b");
}
