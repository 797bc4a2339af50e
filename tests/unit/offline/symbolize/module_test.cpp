// SPDX-License-Identifier: MIT
//
// Debug information of several kinds: addr2line is the judge.
#include "symbolize/module.hpp"

#include "comparison.hpp"

using namespace memprof;
using memprof::test::check_same;
using memprof::test::compare;
using memprof::test::comparison;
using memprof::test::compile;
using memprof::test::folder;
using memprof::test::raw;
using memprof::test::run;
namespace fs = std::filesystem;

TEST_CASE("debug information of several kinds") {
  folder dir;
  const fs::path module = test::sample(dir / "sample.so");
  check_same(compare(dir, module, module));
  const fs::path packed = dir / "packed.so";
  run("objcopy --compress-debug-sections " + module.native() + ' ' + packed.native());
  check_same(compare(dir, packed, packed));
  compile(packed, "-g -gdwarf-4 -gno-column-info");
  check_same(compare(dir, packed, packed));
}

TEST_CASE("paths that are relative to where a unit was compiled") {
  const std::string options = GENERATE("-gdwarf-5", "-gdwarf-4");
  CAPTURE(options);
  folder dir;
  const fs::path module = dir / "sample.so";
  run("cd " + (dir / "").native() +
      " && mkdir source && cp " MEMPROF_TEST_SAMPLE " source/sample.cpp && " MEMPROF_TEST_GXX
      " -std=c++20 -O2 -g -fPIC -shared -Wl,--build-id " +
      options + " -o sample.so source/sample.cpp");
  check_same(compare(dir, module, module));
  symbolize::resolver names;
  std::size_t found = 0;
  for (std::uint64_t a : test::some_addresses(module, 200)) {
    const test::raw_name r = raw(module, a, test::build_id(module));
    const trace::location l = r.location();
    for (trace::location const& f : names.resolve({&l, 1})) {
      CHECK(f.filename.starts_with('/'));
      found += f.filename == (dir / "source/sample.cpp").native() ? 1 : 0;
    }
  }
  CHECK(found > 50);
}

// BFD does not read these: they must give the answers of the plain sample, whose code is the same.
TEST_CASE("units of types, and 64 bit DWARF") {
  folder dir;
  const fs::path module = compile(dir / "sample.so", "-g");
  const fs::path other = compile(dir / "other.so", "-g -gdwarf64 -fdebug-types-section");
  symbolize::resolver names;
  std::size_t known = 0;
  for (std::uint64_t a : test::some_addresses(module, 300)) {
    const test::raw_name r = raw(module, a, test::build_id(module));
    const test::raw_name o = raw(other, a, test::build_id(other));
    const trace::location l = r.location();
    const trace::location k = o.location();
    const auto frames = names.resolve({&l, 1});
    const auto others = names.resolve({&k, 1});
    if (frames[0].defname == r.name) {
      CHECK(others[0].defname == o.name);
      continue;
    }
    if (frames[0].line == 0) {  // of the start files: a symbol, in the module's own name
      CHECK(frames[0].filename == module.native());
      CHECK(others[0].filename == other.native());
      CHECK(others[0].defname == frames[0].defname);
      continue;
    }
    ++known;
    CAPTURE(a, frames[0].defname, others[0].defname);
    CHECK(std::ranges::equal(frames, others));
  }
  CHECK(known > 250);
}

TEST_CASE("clang's debug information") {
  for (std::string compiler : {"clang++-19", "clang++"}) {
    if (!test::runs(compiler + " --version")) continue;
    CAPTURE(compiler);
    folder dir;
    const fs::path module = compile(dir / "sample.so", "-g -gdwarf-5", compiler);
    // addr2line of binutils 2.40 leaves calls out that clang inlined; and each has its own
    // demangler.
    if (!test::runs("llvm-symbolizer --version")) return;
    const comparison c = compare(dir, module, module, {}, 600, {}, test::llvm_symbolizer);
    INFO(c.first);
    CHECK(c.same_lines > 500);
    CHECK(c.same_lines + c.raw > 590);
    CHECK(c.same > 350);
    CHECK(c.inlined > 100);
    return;
  }
}

TEST_CASE("this very program") {
  folder dir;
  const fs::path self = fs::canonical("/proc/self/exe");
#if defined(__clang__)
  if (!test::runs("llvm-symbolizer --version")) return;
  const comparison c = compare(dir, self, self, {}, 400, {}, test::llvm_symbolizer);
#else
  const comparison c = compare(dir, self, self, {}, 400);
#endif
  INFO(c.first);
  // Of 400 addresses that move with each change of the library, some 280 with a deviation of 9; BFD
  // calls every lambda just "operator()".
  CHECK(c.same_names > 230);
  CHECK(c.inlined > 20);
}
