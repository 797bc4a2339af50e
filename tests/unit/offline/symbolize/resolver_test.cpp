// SPDX-License-Identifier: MIT
#include "symbolize/resolver.hpp"

#include <chrono>
#include <set>

#include "modules.hpp"

using namespace memprof;
using memprof::test::folder;
using memprof::test::raw;
using memprof::test::run;
namespace fs = std::filesystem;

TEST_CASE("names for people, without inlined calls, cached") {
  folder dir;
  const fs::path module = test::sample(dir / "sample.so");
  const std::string id = test::build_id(module);
  symbolize::resolver names;
  symbolize::resolver_options options;
  options.inlines = false;
  symbolize::resolver outer{options};
  std::set<std::string> seen;
  for (std::uint64_t a : test::some_addresses(module, 500)) {
    const test::raw_name r = raw(module, a, id);
    const trace::location l = r.location();
    const auto frames = names.resolve({&l, 1});
    for (trace::location const& f : frames) seen.emplace(f.defname);
    CHECK(names.resolve({&l, 1}).data() == frames.data());
    const auto one = outer.resolve({&l, 1});
    REQUIRE(one.size() == 1);
    CHECK(one[0].defname == frames[0].defname);
    CHECK(one[0].line == frames[0].line);
  }
  for (char const* name :
       {"sample::derived::run", "sample::middle", "sample::(anonymous namespace)::small",
        "sample_entry", "sample::rarely", "sample::box<int>::put"}) {
    CAPTURE(name);
    CHECK(seen.contains(name));
  }
  CHECK(names.notices().empty());
}

TEST_CASE("what cannot be resolved stays, with one notice for each module") {
  folder dir;
  const fs::path module = test::sample(dir / "sample.so");
  const std::string id = test::build_id(module);
  const std::uint64_t address = test::some_addresses(module, 1)[0];
  symbolize::resolver names;
  const auto stays = [&](test::raw_name const& r, std::string_view notice) {
    const std::size_t before = names.notices().size();
    for (int i = 0; i < 2; ++i) {
      const trace::location l = r.location();
      const auto frames = names.resolve({&l, 1});
      REQUIRE(frames.size() == 1);
      CHECK(frames[0] == l);
    }
    INFO(r.file);
    if (notice.empty()) {
      CHECK(names.notices().size() == before);
    } else {
      REQUIRE(names.notices().size() == before + 1);
      CHECK(names.notices().back().find(r.file) == 0);
      CHECK(names.notices().back().find(notice) != std::string::npos);
    }
  };
  stays({"list.ml", "Stdlib__list.map"}, "");
  stays({"[vdso]", "[vdso]+0x10@0123456789abcdef"}, "");
  stays(raw(module, address, "0123456789abcdef"), "build id is " + id.substr(0, 16));
  stays(raw(module, address, ""), "was none");
  stays(raw(module, 0, id), "");
  stays(raw(module, 0x7fffffffffff, id), "");
  stays(raw(dir / "missing.so", address, id), "No such file");
  stays(raw(module.native() + " (deleted)", address, "0123456789abcdef"), "build id");
  run("mkfifo " + (dir / "pipe").native() + " && printf text > " + (dir / "text").native() +
      " && : > " + (dir / "empty").native());
  stays(raw(dir / "pipe", 1, id), "not a regular file");
  stays(raw(dir / "text", 1, id), "not a readable ELF file");
  stays(raw(dir / "empty", 1, ""), "not a readable ELF file");
  stays(raw("/dev/zero", 1, ""), "not a regular file");
  stays(raw("/", 1, ""), "");  // not even raw
}

TEST_CASE("a module without a build id is known by its age: one that was built anew is another") {
  folder dir;
  const fs::path module = test::compile(dir / "sample.so", "-g -Wl,--build-id=none");
  REQUIRE(test::build_id(module).empty());
  const test::raw_name r = raw(module, test::some_addresses(module, 1)[0], "");
  const trace::location l = r.location();
  const auto changed = symbolize::file_time(std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::file_clock::to_sys(fs::last_write_time(module)).time_since_epoch()));
  symbolize::resolver names;
  CHECK(names.resolve({&l, 1}).front() != l);  // of a trace without a time
  CHECK(names.resolve({&l, 1}, changed + std::chrono::seconds(1)).front() != l);
  CHECK(names.notices().empty());
  for (int i = 0; i < 2; ++i) {
    CHECK(names.resolve({&l, 1}, changed - std::chrono::seconds(1)).front() == l);
    REQUIRE(names.notices().size() == 1);
  }
  CHECK(names.notices()[0].find("changed since the trace began") != std::string::npos);
  CHECK(names.resolve({&l, 1}, changed + std::chrono::seconds(1)).front() != l);
}

TEST_CASE("a system below another root") {
  folder dir;
  fs::create_directories(dir / "root/usr/lib");
  test::sample(dir / "root/usr/lib/sample.so");
  const std::string id = test::build_id(dir / "root/usr/lib/sample.so");
  symbolize::resolver_options options;
  options.sysroot = dir / "root";
  symbolize::resolver names{options};
  const test::raw_name r =
      raw("/usr/lib/sample.so", test::some_addresses(dir / "root/usr/lib/sample.so", 1)[0], id);
  const trace::location l = r.location();
  CHECK(names.resolve({&l, 1})[0].defname != r.name);
  CHECK(names.notices().empty());
}

// It must not crash, hang or use up memory; AddressSanitizer sees the rest.
TEST_CASE("damaged modules") {
  folder dir;
  const fs::path module = test::sample(dir / "sample.so");
  std::string bytes;
  {
    std::ifstream in{module, std::ios::binary};
    bytes.assign(std::istreambuf_iterator<char>{in}, {});
  }
  const auto addresses = test::some_addresses(module, 30);
  const std::string id = test::build_id(module);
  char const* const more = std::getenv("MEMPROF_TEST_ROUNDS");
  const int rounds = more != nullptr ? std::atoi(more) : 40;
  std::mt19937 random{7};
  for (int i = 0; i < rounds; ++i) {
    std::string damaged = bytes;
    if (i % 4 == 0) {
      damaged.resize(random() % bytes.size());
    } else {
      // The headers of sections are at the end.
      const std::size_t from = i % 4 == 1 ? bytes.size() - 4000 : 0;
      const std::size_t flips = i % 4 == 2 ? 1000 : 20;
      for (std::size_t k = 0; k < flips; ++k) {
        damaged[from + random() % (bytes.size() - from)] = static_cast<char>(random());
      }
    }
    const fs::path file = dir / ("damaged" + std::to_string(i) + ".so");
    std::ofstream{file, std::ios::binary} << damaged;
    symbolize::resolver names;
    for (std::uint64_t a : addresses) {
      for (std::string const& with : {id, std::string{}}) {
        const test::raw_name r = raw(file, a, with);
        const trace::location l = r.location();
        CHECK_FALSE(names.resolve({&l, 1}).empty());
      }
    }
    CHECK(names.notices().size() <= 2);
    fs::remove(file);
  }
}
