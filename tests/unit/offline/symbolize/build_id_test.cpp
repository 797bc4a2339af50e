// SPDX-License-Identifier: MIT
#include "symbolize/build_id.hpp"

#include <string>

#include "made_module.hpp"
#include "modules.hpp"
#include "symbolize/elf_image.hpp"

using namespace memprof;
using namespace memprof::test;

namespace {

std::string note(std::string const& name, std::uint32_t type, std::string const& contents) {
  std::string bytes;
  for (const std::size_t n : {name.size() + 1, contents.size(), std::size_t{type}}) {
    bytes += std::string{static_cast<char>(n), 0, 0, 0};
  }
  bytes += name;
  bytes.resize((bytes.size() + 4) / 4 * 4);
  bytes += contents;
  bytes.resize((bytes.size() + 3) / 4 * 4);
  return bytes;
}

}  // namespace

TEST_CASE("build id: the one that readelf shows, of a linker's module") {
  const folder dir;
  const fs::path file = sample(dir / "sample.so");
  CHECK(runs("readelf -n " + file.native() + " | grep -q 'Build ID: " + build_id(file) + "'"));
  CHECK(build_id(file).size() == 40);
}

TEST_CASE("build id: among other notes, and none of a cut one") {
  const folder dir;
  const fs::path file = dir / "made.so";
  made_module{}.write(file);
  CHECK(build_id(file) == made_module::build_id);
  made_module m{made_module::without_id};
  m.add({.name = ".note",
         .type = SHT_NOTE,
         .bytes = note("GNU", 1, "abc") + note("X", 3, "no") + note("GNU", 3, "\x12\xab\xff") +
                  note("GNU", 3, "later")});
  m.write(file);
  CHECK(build_id(file) == "12abff");
  made_module cut{made_module::without_id};
  const std::string whole = note("GNU", 3, "12345678");
  cut.add({.name = ".note", .type = SHT_NOTE, .bytes = whole.substr(0, whole.size() - 1)});
  cut.write(file);
  // The next section's first byte follows in the file, but is not the note's.
  CHECK(build_id(file).empty());
}
