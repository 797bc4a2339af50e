// SPDX-License-Identifier: MIT
#include "symbolize/unwind_functions.hpp"

#include <map>

#include "modules.hpp"
#include "symbolize/resolver.hpp"

using namespace memprof;
using namespace memprof::symbolize;
using memprof::test::folder;
namespace fs = std::filesystem;

TEST_CASE("functions begin where their symbols say") {
  folder dir;
  const fs::path file = test::sample(dir / "sample.so");
  std::string reason;
  const auto image = elf_image::open(file, reason);
  REQUIRE(image != nullptr);
  const unwind_functions found(*image);
  std::size_t compared = 0;
  for (elf_image::symbol const& s : image->functions(false)) {
    if (!image->executable(s.value)) continue;
    // Those of the start files have no unwind tables of their own.
    if (s.name.starts_with("_") && !s.name.starts_with("_Z")) continue;
    if (s.name.find("dtors") != s.name.npos || s.name.find("tm_clones") != s.name.npos ||
        s.name == "frame_dummy" || s.name == "call_weak_fn") {
      continue;
    }
    CAPTURE(s.name);
    CHECK(found.begin(s.value) == s.value);
    CHECK(found.begin(s.value + s.size - 1) == s.value);
    ++compared;
  }
  CHECK(compared > 10);
  CHECK_FALSE(found.begin(0));
}

TEST_CASE("code without a symbol is named by its function, if that is asked") {
  folder dir;
  const fs::path file = test::sample(dir / "sample.so");
  const std::string id = test::build_id(file);
  std::string reason;
  elf_image::symbol wanted{};
  for (elf_image::symbol const& s : elf_image::open(file, reason)->functions(false)) {
    if (s.name.find("rarely") != s.name.npos) wanted = {s.value, s.size, {}, 0};
  }
  REQUIRE(wanted.size > 2);
  test::run("strip -s -R .debug_info -R .dynsym " + file.native());
  resolver_options options;
  resolver plain{options};
  options.by_function = true;
  resolver grouped{options};
  const test::raw_name inside = test::raw(file, wanted.value + 1, id),
                       begin = test::raw(file, wanted.value, id);
  const trace::location l = inside.location();
  CHECK(plain.resolve({&l, 1})[0] == l);
  CHECK(grouped.resolve({&l, 1})[0] == begin.location());
}

TEST_CASE("a file without unwind tables has no functions") {
  folder dir;
  const fs::path file = test::sample(dir / "sample.so");
  test::run("objcopy -R .eh_frame_hdr " + file.native());
  std::string reason;
  const auto image = elf_image::open(file, reason);
  REQUIRE(image != nullptr);
  CHECK_FALSE(unwind_functions(*image).begin(0x2000));
}
