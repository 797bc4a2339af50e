// SPDX-License-Identifier: MIT
#include "symbolize/debug_files.hpp"

#include "comparison.hpp"

using namespace memprof;
using memprof::test::check_same;
using memprof::test::compare;
using memprof::test::compile;
using memprof::test::folder;
using memprof::test::raw;
using memprof::test::run;
namespace fs = std::filesystem;

TEST_CASE("separate debug files") {
  folder dir;
  const fs::path module = test::sample(dir / "sample.so");
  const fs::path whole = dir / "whole.so";
  fs::copy(module, whole);
  const fs::path debug = dir / "sample.so.debug";
  run("objcopy --only-keep-debug " + module.native() + ' ' + debug.native());
  run("strip -s " + module.native());
  run("cd " + (dir / "").native() + " && objcopy --add-gnu-debuglink=sample.so.debug " +
      module.native());
  symbolize::resolver_options options;
  options.debug_directories = {dir / "debug"};
  fs::create_directories(dir / "debug");
  const auto found = [&] { check_same(compare(dir, module, whole, options)); };

  SECTION("beside the module") { found(); }
  SECTION("in .debug") {
    fs::create_directory(dir / ".debug");
    fs::rename(debug, dir / ".debug/sample.so.debug");
    found();
  }
  SECTION("in the directory of debug files") {
    const fs::path to = (dir / "debug") / (dir / "").relative_path();
    fs::create_directories(to);
    fs::rename(debug, to / "sample.so.debug");
    found();
  }
  const std::string id = test::build_id(module);
  const fs::path by_id = dir / ("debug/.build-id/" + id.substr(0, 2));
  const fs::path file = by_id / (id.substr(2) + ".debug");
  SECTION("by build id") {
    fs::create_directories(by_id);
    fs::rename(debug, file);
    found();
  }
  SECTION("by build id, the module being gone") {
    fs::create_directories(by_id);
    fs::rename(debug, file);
    run("printf x > " + module.native());
    symbolize::resolver names{options};
    std::size_t known = 0;
    for (std::uint64_t a : test::some_addresses(whole, 100)) {
      const test::raw_name r = raw(module, a, id);
      const trace::location l = r.location();
      known += names.resolve({&l, 1})[0].defname != r.name ? 1 : 0;
    }
    CHECK(known > 90);
    CHECK(names.notices().empty());
  }
  SECTION("of another build") {
    compile(whole, "-g -O1");
    run("objcopy --only-keep-debug " + whole.native() + ' ' + debug.native());
    symbolize::resolver names{options};
    const test::raw_name r = raw(module, test::some_addresses(whole, 1)[0], id);
    const trace::location l = r.location();
    CHECK(names.resolve({&l, 1})[0].line == 0);
  }
}
