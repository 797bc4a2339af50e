// SPDX-License-Identifier: MIT
#include <fstream>
#include <map>
#include <set>

#include "modules.hpp"
#include "symbolize/resolver.hpp"

using namespace memprof;
using memprof::test::folder;
namespace fs = std::filesystem;

namespace {

const fs::path source = fs::path{MEMPROF_TEST_SAMPLE}.parent_path() / "lambdas.cpp";

/// Of the operators() of the lambdas in the source, by LAMBDA number.
constexpr std::string_view expected[] = {
    "",
    "sample::parse::{lambda(int)#1}::operator()",
    "sample::parse::{lambda(int)#2}::operator()",
    "sample::parse::{lambda(char)#3}::operator()",
    "sample::parse::{lambda(auto:1)#4}::operator()<int>",
    "sample::parse::{lambda(std::string const&, unsigned long)#5}::operator()",
    "sample::parse::{lambda(int)#1}::operator()",
    "sample::(anonymous namespace)::hidden::run::{lambda(int)#1}::operator()::{lambda(int)#1}::"
    "operator()",
    "sample::(anonymous namespace)::hidden::run::{lambda(int)#2}::operator()",
};

/// g++ 14 counts the lambdas of each signature by themselves, in symbols. Where there is no symbol
/// the resolver counts on.
std::string counted_by_signature(std::string name) {
  for (char const* number : {"{lambda(char)#3}", "{lambda(auto:1)#4}",
                             "{lambda(std::string const&, unsigned long)#5}"}) {
    const std::string_view own = number;
    if (const std::size_t at = name.find(own); at != name.npos) name[at + own.size() - 2] = '1';
  }
  return name;
}

/// Where the lambdas are, by number.
std::vector<std::uint32_t> lines_of_lambdas() {
  std::vector<std::uint32_t> all{0};
  std::ifstream in{source};
  std::uint32_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.find("// LAMBDA") != line.npos) all.push_back(number);
  }
  REQUIRE(all.size() == std::size(expected));
  return all;
}

/// Names of the functions that have code of each of these lines.
std::map<std::uint32_t, std::set<std::string>> names_by_line(folder& dir,
                                                             std::string const& options,
                                                             std::string const& compiler) {
  const fs::path module = test::compile(dir / "lambdas.so", options, compiler, source);
  const std::string id = test::build_id(module);
  symbolize::resolver names;
  std::map<std::uint32_t, std::set<std::string>> found;
  for (std::uint64_t a : test::all_addresses(module)) {
    const test::raw_name r = test::raw(module, a, id);
    const trace::location l = r.location();
    for (trace::location const& f : names.resolve({&l, 1})) {
      if (f.filename == source.native()) found[f.line].emplace(f.defname);
    }
  }
  CHECK(names.notices().empty());
  return found;
}

}  // namespace

TEST_CASE("g++ lambdas have the names that the demangler gives them, inlined or not") {
  const std::string options = GENERATE("-g", "-g -O0", "-g -Os -gdwarf-4", "-g -gsplit-dwarf");
  CAPTURE(options);
  folder dir;
  auto found = names_by_line(dir, options, MEMPROF_TEST_GXX);
  const auto lines = lines_of_lambdas();
  for (std::size_t i = 1; i < lines.size(); ++i) {
    CAPTURE(i);
    const std::string name{expected[i]};
    CHECK((found[lines[i]].contains(name) || found[lines[i]].contains(counted_by_signature(name))));
  }
}

TEST_CASE("instances of templates for g++ lambdas are distinguished") {
  folder dir;
  std::set<std::string> all;
  for (auto const& [line, names] : names_by_line(dir, "-g", MEMPROF_TEST_GXX)) {
    all.insert(names.begin(), names.end());
  }
  for (std::string name :
       {"sample::call<sample::parse(std::string const&, int)::{lambda(int)#1}>",
        "sample::call<sample::parse(std::string const&, int)::{lambda(int)#2}>",
        "sample::forward<sample::parse(std::string const&, int)::{lambda(char)#3}>"}) {
    CAPTURE(name);
    CHECK(all.contains(name));
  }
}

TEST_CASE("lambdas differ without types of their own, and with clang") {
  const auto [options, compiler] =
      GENERATE(table<std::string, std::string>({{"-g1", MEMPROF_TEST_GXX}, {"-g", "clang++"}}));
  if (!test::runs(compiler + " --version")) return;
  CAPTURE(options, compiler);
  folder dir;
  auto found = names_by_line(dir, options, compiler);
  std::set<std::string> seen;
  const auto lines = lines_of_lambdas();
  for (std::size_t i = 1; i < lines.size(); ++i) {
    CAPTURE(i);
    std::set<std::string> here;
    for (std::string const& n : found[lines[i]]) {
      if (n.find("operator()") != n.npos) here.insert(n);
    }
    REQUIRE(here.size() == 1);
    CHECK(seen.insert(*here.begin()).second);
    CHECK(*here.begin() != "operator()");
  }
}
