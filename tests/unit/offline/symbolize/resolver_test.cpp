// SPDX-License-Identifier: MIT
//
// addr2line is the judge: functions, files and lines must be those that it tells.
#include "symbolize/resolver.hpp"

#include <set>

#include "modules.hpp"
#include "symbolize/raw_location.hpp"

using namespace memprof;
using memprof::test::answer;
using memprof::test::compile;
using memprof::test::folder;
using memprof::test::raw;
using memprof::test::run;
namespace fs = std::filesystem;

namespace {

struct comparison {
  std::size_t raw = 0;          // we say nothing
  std::size_t same = 0;         // all frames are the same
  std::size_t same_names = 0;   // and those of which only the files are not
  std::size_t same_places = 0;  // files and lines are
  std::size_t inlined = 0;
  std::size_t different = 0;
  std::string first;
};

/// `judged`: the file that addr2line reads, where it is not the module itself.
comparison compare(folder const& dir, fs::path const& module, fs::path const& judged,
                   symbolize::resolver_options options = {}, std::size_t n = 600,
                   fs::path const& text_of = {}, char const* judge = test::addr2line) {
  options.shorten = false;
  symbolize::resolver names{options};
  const auto addresses = test::some_addresses(text_of.empty() ? judged : text_of, n);
  const std::vector<answer> expected = test::ask(judge, dir, judged, addresses);
  const std::string id = test::build_id(module);
  comparison c;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const test::raw_name r = raw(module, addresses[i], id);
    const trace::location l = r.location();
    const auto frames = names.resolve({&l, 1});
    if (frames.size() == 1 && frames[0].defname == r.name) {
      ++c.raw;
      continue;
    }
    answer ours;
    for (auto f = frames.rbegin(); f != frames.rend(); ++f) {
      ours.emplace_back(f->defname);
      ours.push_back(f->line == 0 ? "??:?"
                                  : std::string{f->filename} + ':' + std::to_string(f->line));
    }
    answer theirs = expected[i];
    // A line that is not known is ":?" there.
    for (std::size_t k = 1; k < theirs.size(); k += 2) {
      if (theirs[k].ends_with(":?") || theirs[k].ends_with(":0")) theirs[k] = "??:?";
    }
    // BFD leaves out what encloses a function without a linker's name.
    for (std::size_t k = 0; k < ours.size() && k < theirs.size(); k += 2) {
      if (ours[k].ends_with("::" + theirs[k])) theirs[k] = ours[k];
    }
    c.inlined += frames.size() > 1 ? 1 : 0;
    bool same_names = ours.size() == theirs.size();
    for (std::size_t k = 0; same_names && k < ours.size(); k += 2) {
      same_names = ours[k] == theirs[k];
    }
    c.same_names += same_names ? 1 : 0;
    bool same_places = ours.size() == theirs.size();
    for (std::size_t k = 1; same_places && k < ours.size(); k += 2) {
      same_places = ours[k] == theirs[k];
    }
    c.same_places += same_places ? 1 : 0;
    if (ours == theirs) {
      ++c.same;
    } else if (++c.different == 1) {
      for (std::string const& s : ours) c.first += "ours   " + s + '\n';
      for (std::string const& s : theirs) c.first += "theirs " + s + '\n';
    }
  }
  for (std::string const& notice : names.notices()) c.first += notice + '\n';
  return c;
}

/// BFD gives an inlined function without a linker's name (one of a nameless namespace) that of the
/// function around it: a few addresses in 600.
void check_same(comparison const& c) {
  INFO(c.first);
  CHECK(c.different <= 6);
  CHECK(c.same > 500);
  CHECK(c.inlined > 100);
}

}  // namespace

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
      " && mkdir source && cp " MEMPROF_TEST_SAMPLE " source/sample.cpp && " MEMPROF_TEST_CXX
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

// BFD does not read these: they must tell what the plain sample does, whose code is the same.
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
    ++known;
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
    CHECK(c.same_places > 500);
    CHECK(c.same_places + c.raw > 590);
    CHECK(c.same > 350);
    CHECK(c.inlined > 100);
    return;
  }
}

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

TEST_CASE("symbols alone") {
  folder dir;
  const fs::path module = test::sample(dir / "sample.so");
  const fs::path whole = dir / "whole.so";
  fs::copy(module, whole);
  // BFD names a place between two functions after the first.
  SECTION(".symtab") {
    run("strip -g " + module.native());
    const comparison c = compare(dir, module, module, {}, 600, whole);
    INFO(c.first);
    CHECK(c.same_names > 550);
    CHECK(c.different == 0);
    CHECK(c.raw < 50);
  }
  SECTION(".dynsym") {
    run("strip -s " + module.native());
    const comparison c = compare(dir, module, module, {}, 600, whole);
    INFO(c.first);
    CHECK(c.same_names > 100);
    CHECK(c.different == 0);
  }
}

TEST_CASE("this very program") {
  folder dir;
  const fs::path self = fs::canonical("/proc/self/exe");
  const comparison c = compare(dir, self, self, {}, 400);
  INFO(c.first);
  // Of 400 addresses that move with each change of the library; BFD calls every lambda just
  // "operator()".
  CHECK(c.same_names > 280);
  CHECK(c.inlined > 20);
}

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

TEST_CASE("raw locations are recognised") {
  const auto parse = [](std::string_view file, std::string_view name) {
    return symbolize::parse_raw({file, name, 0, 0, 0});
  };
  const auto r = parse("/lib/libc.so.6", "libc.so.6+0x1a2b@0123456789abcdef");
  REQUIRE(r);
  CHECK(r->address == 0x1a2b);
  CHECK(r->build_id == "0123456789abcdef");
  CHECK(parse("/a/b", "b+0xffffffffffffffff")->address == ~std::uint64_t{0});
  CHECK(parse("[vdso]", "[vdso]+0x10")->build_id.empty());
  CHECK(parse("/a/b+0x1", "b+0x1+0x2")->address == 2);
  for (auto [file, name] : {std::pair{"/a/b", "c+0x1"},
                            {"/a/b", "b"},
                            {"/a/b", "b+0x"},
                            {"/a/b", "b+0xg"},
                            {"/a/b", "b+0x1@"},
                            {"/a/b", "b+0x1@xyz"},
                            {"/a/b", "b+0x1@0123456789abcdef0"},
                            {"/a/b", "b+0x10000000000000000"},
                            {"/a/", "+0x1"},
                            {"", "+0x1"},
                            {"b", "b+0x-1"},
                            {"list.ml", "Stdlib__list.map"}}) {
    CAPTURE(file, name);
    CHECK_FALSE(parse(file, name));
  }
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

// Nothing but not crashing, hanging or eating memory is asked for; AddressSanitizer sees the rest.
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
