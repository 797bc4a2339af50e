// SPDX-License-Identifier: MIT
//
// A module with split debug information must give the same answers as the same code without.
#include "modules.hpp"
#include "symbolize/resolver.hpp"

using namespace memprof;
using memprof::test::folder;
using memprof::test::run;
namespace fs = std::filesystem;

namespace {

struct split_comparison {
  std::size_t same = 0, inlined = 0, different = 0;
  std::vector<std::string> notices;
};

split_comparison compare_split(fs::path const& whole, fs::path const& split) {
  symbolize::resolver names;
  symbolize::resolver split_names;
  const std::string id = test::build_id(whole);
  const std::string split_id = test::build_id(split);
  split_comparison c;
  for (std::uint64_t a : test::some_addresses(whole, 400)) {
    const test::raw_name r = test::raw(whole, a, id);
    const test::raw_name s = test::raw(split, a, split_id);
    const trace::location l = r.location();
    const trace::location k = s.location();
    const auto frames = names.resolve({&l, 1});
    const auto others = split_names.resolve({&k, 1});
    if (frames[0].defname == r.name) continue;
    // Where the line is not known, the file is the module.
    const auto same = [](trace::location const& x, trace::location const& y) {
      return x == y || (x.line == 0 && y.line == 0 && x.defname == y.defname);
    };
    if (std::ranges::equal(frames, others, same)) {
      ++c.same;
      c.inlined += frames.size() > 1 ? 1 : 0;
    } else if (++c.different <= 3) {
      for (auto const& f : frames)
        UNSCOPED_INFO("whole " << f.defname << ' ' << f.filename << ':' << f.line);
      for (auto const& f : others)
        UNSCOPED_INFO("split " << f.defname << ' ' << f.filename << ':' << f.line);
    }
  }
  c.notices.assign(split_names.notices().begin(), split_names.notices().end());
  return c;
}

void check_same(fs::path const& whole, fs::path const& split) {
  const split_comparison c = compare_split(whole, split);
  CHECK(c.different == 0);
  CHECK(c.same > 300);
  CHECK(c.inlined > 100);
  CHECK(c.notices.empty());
}

/// The sample twice, with split debug information as split.so. The compiler names .dwo files after
/// what it writes, in the current folder or beside that.
std::pair<fs::path, fs::path> compile(folder const& dir, std::string const& options,
                                      std::string const& compiler = MEMPROF_TEST_GXX) {
  const fs::path whole = test::compile(dir / "whole.so", options, compiler);
  const fs::path split = dir / "split.so";
  run("cd " + (dir / "").native() + " && " + compiler + " -std=c++20 -O2 -fPIC -c -gsplit-dwarf " +
      options + " -o split.o " MEMPROF_TEST_SAMPLE " && " + compiler +
      " -shared -Wl,--build-id -o split.so split.o");
  REQUIRE(fs::exists(dir / "split.dwo"));
  return {whole, split};
}

}  // namespace

TEST_CASE("split debug information is read from .dwo files") {
  const std::string options = GENERATE("-g -gdwarf-5", "-g -gdwarf-4");
  CAPTURE(options);
  folder dir;
  const auto [whole, split] = compile(dir, options);
  check_same(whole, split);
  // Moved together.
  fs::create_directory(dir / "moved");
  for (char const* name : {"split.so", "split.dwo"}) {
    fs::rename(dir / name, dir / (std::string{"moved/"} + name));
  }
  check_same(whole, dir / "moved/split.so");
}

TEST_CASE("split debug information by clang") {
  if (!test::runs("clang++ --version")) return;
  folder dir;
  const auto [whole, split] = compile(dir, "-g -gdwarf-5", "clang++");
  check_same(whole, split);
}

TEST_CASE("split debug information is read from a package") {
  // dwp of binutils 2.40 does not know DWARF 5, and llvm-dwp 14 not that of g++.
  const auto [compiler, options, tool] = GENERATE(table<std::string, std::string, std::string>(
      {{MEMPROF_TEST_GXX, "-g -gdwarf-4", "dwp"}, {"clang++", "-g -gdwarf-5", "llvm-dwp"}}));
  if (!test::runs(compiler + " --version") || !test::runs(tool + " --version")) return;
  CAPTURE(compiler);
  folder dir;
  const auto [whole, split] = compile(dir, options, compiler);
  run("cd " + (dir / "").native() + " && timeout 60 " + tool + " -e split.so -o split.so.dwp");
  fs::remove(dir / "split.dwo");
  check_same(whole, split);
}

TEST_CASE("without its .dwo file, or with another's, a unit has symbols and no wrong lines") {
  folder dir;
  const auto [whole, split] = compile(dir, "-g");
  SECTION("missing") { fs::remove(dir / "split.dwo"); }
  SECTION("of another build") {
    fs::copy(split, dir / "kept.so");
    compile(dir, "-g -O1");
    fs::rename(dir / "kept.so", split);
  }
  SECTION("damaged") { fs::resize_file(dir / "split.dwo", 100); }
  symbolize::resolver names;
  std::size_t named = 0;
  for (std::uint64_t a : test::some_addresses(split, 100)) {
    const test::raw_name r = test::raw(split, a, test::build_id(split));
    const trace::location l = r.location();
    const auto frames = names.resolve({&l, 1});
    CHECK(frames.size() == 1);
    CHECK(frames[0].line == 0);
    named += frames[0].defname != r.name ? 1 : 0;
  }
  CHECK(named > 80);
  REQUIRE(names.notices().size() == 1);
  CHECK(names.notices()[0].find("split.dwo") != std::string::npos);
}
