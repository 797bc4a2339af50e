// SPDX-License-Identifier: MIT
#include "symbolize/fit_locations.hpp"

#include <set>

#include "support/catch2.hpp"

using memprof::symbolize::location_fitter;
using memprof::trace::location;

namespace {

using positions = std::vector<location>;

std::size_t bytes_of(positions const& all) {
  std::size_t n = 9;
  for (location const& l : all) n += 8 + l.filename.size() + l.defname.size();
  return n;
}

/// What all codes are in the trace.
std::vector<positions> fitted(location_fitter& fitter, std::vector<positions> const& codes) {
  std::vector<positions> result;
  int rounds = 0;
  do {
    result = codes;
    for (positions& p : result) fitter.fit(p);
    REQUIRE(++rounds <= 2);
  } while (!fitter.settle());
  for (positions const& p : result) {
    CHECK(bytes_of(p) <= 4096);
    CHECK(p.size() <= 255);
  }
  return result;
}

std::string function(char which, std::size_t size) {
  const std::string begin = "ns::function<ns::some<";
  const std::string end = std::string{","} + which + ">>::run";
  return begin + std::string(size - begin.size() - end.size(), 'x') + end;
}

location at(std::string const& name) { return {"file.cpp", name, 1, 255, 1023}; }

}  // namespace

TEST_CASE("names that fit stay as they are") {
  const std::string a = function('a', 2000);
  const std::string b = function('b', 2000);
  location_fitter fitter;
  const std::vector<positions> codes{{at(a), at(b)}, {at(a)}, {}};
  CHECK(fitted(fitter, codes) == codes);
}

TEST_CASE("a function has one name in all codes, and no two have the same") {
  const std::string a = function('a', 3000);
  const std::string b = function('b', 3000);
  const std::string c = function('c', 600);
  location_fitter fitter;
  const auto all = fitted(fitter, {{at(a)}, {at(a), at(c), at(b)}, {at(b)}, {at(c)}});
  CHECK(all[0][0].defname == all[1][0].defname);
  CHECK(all[2][0].defname == all[1][2].defname);
  CHECK(all[3][0].defname == c);
  CHECK(all[1][1].defname == c);
  for (auto const& name : {all[0][0].defname, all[2][0].defname}) {
    CHECK(name.starts_with("ns::function<ns::some<...#"));
    CHECK(name.ends_with(">>::run"));
  }
  CHECK(all[0][0].defname != all[2][0].defname);
}

TEST_CASE("calls in the middle are left out where shorter names are not enough") {
  std::vector<std::string> names;
  for (int i = 0; i < 200; ++i) names.push_back(function('a', 300) + std::to_string(i));
  const std::string path(3000, 'p');
  positions code;
  for (std::string const& n : names) code.push_back({path, n, 1, 255, 1023});
  location_fitter fitter;
  const auto all = fitted(fitter, {code});
  CHECK(all[0].size() > 10);
  CHECK(all[0].front().defname.ends_with("run0"));
  CHECK(all[0].back().defname.ends_with("run199"));
  CHECK(all[0].front().filename.size() >= 100);
  std::set<std::string_view> different;
  for (location const& l : all[0]) different.insert(l.defname);
  CHECK(different.size() == all[0].size());
}
