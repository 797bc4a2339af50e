// SPDX-License-Identifier: MIT
#include "symbolize/module_notes.hpp"

#include <filesystem>
#include <string>
#include <unistd.h>

#include "support/catch2.hpp"

using namespace memprof;
using namespace memprof::symbolize;

namespace {

/// A trace without events that has the notes which `write` puts.
template <class Write>
noted_modules written(Write&& write) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("memprof-module-notes-" + std::to_string(::getpid()) + ".ctf");
  trace::writer to(file, {},
                   [](trace::location_code) { return std::span<trace::location const>{}; });
  write(to);
  to.close();
  trace::reader reader(file);
  for (trace::event e; reader.next(e);) {
  }
  std::filesystem::remove(file);
  return noted_modules(reader);
}

}  // namespace

TEST_CASE("notes of modules give codes their module and address back") {
  const noted_modules modules = written([](trace::writer& to) {
    module_collector collected;
    collected.add(0x7f0000001235, {"/lib/a b.so", 0x1234, "0123abcd"});
    collected.add(0x7f0000009001, {"/lib/a b.so", 0x9000, "0123abcd"});
    collected.add(0x560000000101, {"/bin/program", 0x100, ""});
    collected.add(0x7e0000001235, {"/lib/a b.so", 0x1234, "0123abcd"});  // loaded again
    collected.put(to);
  });
  const auto inside = modules.find(0x7f0000005001);
  REQUIRE(inside);
  CHECK(inside->module == "/lib/a b.so");
  CHECK(inside->address == 0x5000);
  CHECK(inside->build_id == "0123abcd");
  const auto program = modules.find(0x560000000101);
  REQUIRE(program);
  CHECK(program->module == "/bin/program");
  CHECK(program->address == 0x100);
  CHECK(program->build_id.empty());
  CHECK(modules.find(0x7e0000001235)->address == 0x1234);
  CHECK_FALSE(modules.find(0x7f0000009002));
  CHECK_FALSE(modules.find(0x7f0000001234));
}

TEST_CASE("codes where two modules had their code have no module; bad notes are passed over") {
  const noted_modules modules = written([](trace::writer& to) {
    to.put(trace::note{module_note, "1000 3000 0 - /one"});
    to.put(trace::note{module_note, "2000 4000 0 - /two"});
    for (char const* bad :
         {"", "5000", "5000 6000 0 -", "5000 6000 x - /bad", "5000 60g0 0 - /bad"}) {
      to.put(trace::note{module_note, bad});
    }
  });
  CHECK(modules.find(0x1800)->module == "/one");
  CHECK_FALSE(modules.find(0x2800));
  CHECK(modules.find(0x3800)->module == "/two");
  CHECK_FALSE(modules.find(0x5800));
}
