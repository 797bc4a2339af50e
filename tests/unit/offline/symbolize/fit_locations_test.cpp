// SPDX-License-Identifier: MIT
#include "symbolize/fit_locations.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "support/catch2.hpp"

using memprof::symbolize::location_fitter;
using memprof::symbolize::longest_kept_name;
using memprof::trace::location;

namespace {

using positions = std::vector<location>;

std::size_t bytes_of(positions const& all) {
  std::size_t n = 9;
  for (location const& l : all) n += 8 + l.filename.size() + l.defname.size();
  return n;
}

positions fitted(location_fitter& fitter, positions code) {
  fitter.fit(code);
  CHECK(bytes_of(code) <= 4096);
  CHECK(code.size() <= 255);
  return code;
}

std::string function(char which, std::size_t size) {
  const std::string begin = "ns::function<ns::some<";
  const std::string end = std::string{","} + which + ">>::run";
  return begin + std::string(size - begin.size() - end.size(), 'x') + end;
}

location at(std::string const& name) { return {"file.cpp", name, 1, 255, 1023}; }

}  // namespace

TEST_CASE("names that are not too long stay as they are") {
  const std::string a = function('a', longest_kept_name);
  const std::string b = function('b', 100);
  location_fitter fitter;
  const positions code{at(a), at(b)};
  CHECK(fitted(fitter, code) == code);
  CHECK(fitted(fitter, {}).empty());
}

TEST_CASE("a function has one name in all codes of all traces, and no two have the same") {
  const std::string a = function('a', 3000);
  const std::string b = function('b', 3000);
  const std::string c = function('c', 300);
  location_fitter fitter, another;
  const auto alone = fitted(fitter, {at(a)});
  const auto among = fitted(fitter, {at(b), at(a), at(c), at(b)});
  const auto elsewhere = fitted(another, {at(a), at(a)});
  CHECK(alone[0].defname == among[1].defname);
  CHECK(alone[0].defname == elsewhere[1].defname);
  CHECK(among[0].defname == among[3].defname);
  CHECK(among[0].defname != among[1].defname);
  CHECK(among[2].defname == c);
  // Each was cut once.
  const auto cuts = fitter.take_new_cuts();
  REQUIRE(cuts.size() == 2);
  CHECK(cuts[0].whole == a);
  CHECK(cuts[0].cut == alone[0].defname);
  CHECK(cuts[1].whole == b);
  CHECK(cuts[1].cut == among[0].defname);
  CHECK(fitter.take_new_cuts().empty());
  for (auto const& name : {among[0].defname, among[1].defname}) {
    CHECK(name.size() <= longest_kept_name);
    CHECK(name.starts_with("ns::function<ns::some<...#"));
    CHECK(name.ends_with(">>::run"));
  }
}

TEST_CASE("calls in the middle are left out where they are too many, the library's first") {
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) {
    names.push_back((i % 4 == 1 ? "" : "std::") + function('a', 100) + std::to_string(i));
  }
  positions code;
  for (std::string const& n : names) code.push_back(at(n));
  location_fitter fitter;
  const auto some = fitted(fitter, code);
  CHECK(some.size() > 30);
  CHECK(std::ranges::count_if(some,
                              [](location const& l) { return l.defname.starts_with("ns"); }) == 10);

  const std::string path(3000, 'p');
  for (location& l : code) l.filename = path;
  const auto few = fitted(fitter, code);
  CHECK(few.size() > 10);
  CHECK(few.front().defname == names.front());
  CHECK(few.back().defname == names.back());
  CHECK(few.front().filename == path.substr(0, 160));
}

TEST_CASE("a code of two long positions fits") {
  const std::string path(4090, 'p'), name = function('a', 4000);
  location_fitter fitter;
  CHECK(fitted(fitter, {{path, name, 1, 2, 3}, {path, name, 1, 2, 3}}).size() == 2);
  CHECK(fitted(fitter, {{path, name, 1, 2, 3}}).size() == 1);
}
