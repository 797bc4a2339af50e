// SPDX-License-Identifier: MIT
//
// Files that are made to take memory or time: what looking at them costs is measured in a process
// of its own.
#include <fcntl.h>
#include <string>
#include <sys/stat.h>

#include "made_module.hpp"
#include "modules.hpp"
#include "symbolize/elf_image.hpp"

using namespace memprof;
using namespace memprof::test;

namespace {

constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30;
constexpr double most_mebibytes = 600;

std::string number(std::uint64_t n, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(n >> (8 * i) & 255);
  return text;
}

/// Symbols of functions one byte long, from 0x1000 on.
std::string symbols(std::size_t n, std::uint32_t name) {
  std::string all(sizeof(Elf64_Sym), '\0');
  for (std::size_t i = 0; i < n; ++i) {
    const Elf64_Sym s{.st_name = name,
                      .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                      .st_other = 0,
                      .st_shndx = 1,
                      .st_value = 0x1000,
                      .st_size = 1 + i};
    all.append(reinterpret_cast<char const*>(&s), sizeof s);
  }
  return all;
}

}  // namespace

TEST_CASE("hostile module: compressed sections of 1 GiB each, in both forms") {
  const folder dir;
  const fs::path file = dir / "bomb.so";
  for (std::string const form : {".debug_", ".zdebug_"}) {
    made_module m;
    for (char const* const name : {"info", "abbrev", "line", "str", "loclists"}) {
      m.add_bomb(form + name, gibibyte);
    }
    const std::uint32_t names =
        m.add({.name = ".strtab", .type = SHT_STRTAB, .bytes = std::string("\0function\0", 10)});
    m.add({.name = ".symtab",
           .type = SHT_SYMTAB,
           .bytes = symbols(2, 1),
           .link = names,
           .entry_size = sizeof(Elf64_Sym)});
    m.write(file);
    CHECK(fs::file_size(file) < (6 << 20));
    const cost c = cost_of(file, {0x1001});
    CHECK(c.ended);
    CHECK(c.mebibytes < most_mebibytes);
    CHECK(c.name == "function");
    CHECK(c.notice.find("its debug information would take 5120 MiB, and is not read") !=
          c.notice.npos);
  }
}

TEST_CASE("hostile module: sections that nobody compresses") {
  const folder dir;
  const fs::path file = dir / "bomb.so";
  made_module m;
  m.add_bomb(".gnu_debuglink", gibibyte);
  m.add_bomb(".gnu_debugaltlink", gibibyte);
  m.add_bomb(".eh_frame_hdr", gibibyte);
  m.write(file);
  const cost c = cost_of(file, {0x1001});
  CHECK(c.ended);
  CHECK(c.mebibytes < most_mebibytes);
}

TEST_CASE("hostile module: a sparse file is not read") {
  const folder dir;
  const fs::path file = dir / "sparse.so";
  made_module m;
  m.write(file, 40 * gibibyte);
  const cost c = cost_of(file, {0x1001});
  CHECK(c.ended);
  CHECK(c.mebibytes < most_mebibytes);
  CHECK(c.notice.find("a sparse file") != c.notice.npos);
}

TEST_CASE("hostile module: the same bytes as many symbol tables, notes and debug sections") {
  const folder dir;
  const fs::path file = dir / "tables.so";
  made_module m;
  const std::uint32_t names =
      m.add({.name = ".strtab", .type = SHT_STRTAB, .bytes = std::string("\0f\0", 3)});
  const auto first = static_cast<int>(m.add({.name = ".symtab",
                                             .type = SHT_SYMTAB,
                                             .bytes = symbols(50'000, 1),
                                             .link = names,
                                             .entry_size = sizeof(Elf64_Sym)}));
  for (int i = 0; i < 1000; ++i) {
    m.add({.name = ".symtab",
           .type = SHT_SYMTAB,
           .bytes = {},
           .link = names,
           .entry_size = sizeof(Elf64_Sym),
           .same_as = first});
    m.add({.name = ".note", .type = SHT_NOTE, .bytes = {}, .same_as = first});
    m.add({.name = ".debug_info", .bytes = {}, .same_as = first});
  }
  m.write(file);
  const cost c = cost_of(file, {0x1001});
  CHECK(c.ended);
  CHECK(c.mebibytes < most_mebibytes);
  CHECK(c.name == "f");
}

TEST_CASE("hostile module: more sections than any linker makes") {
  const folder dir;
  const fs::path file = dir / "sections.so";
  made_module m;
  for (int i = 0; i < 60'000; ++i) m.add({.name = "", .bytes = {}});
  m.write(file);
  const cost c = cost_of(file, {0x1001});
  CHECK(c.ended);
  CHECK(c.notice.find("not a plausible ELF file") != c.notice.npos);
}

TEST_CASE("hostile module: names without an end, and one long name for all symbols") {
  const folder dir;
  const fs::path file = dir / "names.so";
  for (const bool ends : {false, true}) {
    made_module m;
    const std::uint32_t names = m.add(
        {.name = ".strtab",
         .type = SHT_STRTAB,
         .bytes = std::string(1, '\0') + std::string(8 << 20, 'f') + std::string(ends, '\0')});
    m.add({.name = ".symtab",
           .type = SHT_SYMTAB,
           .bytes = symbols(200'000, 1),
           .link = names,
           .entry_size = sizeof(Elf64_Sym)});
    m.write(file);
    const cost c = cost_of(file, {0x1001});
    CHECK(c.ended);
    CHECK(c.mebibytes < most_mebibytes);
  }
}

TEST_CASE("hostile module: units that each begin their abbreviations elsewhere in one table") {
  const folder dir;
  const fs::path file = dir / "abbreviations.so";
  constexpr std::uint32_t units = 60'000, entries = 200'000;
  std::string info, abbreviations;
  for (std::uint32_t i = 0; i < units; ++i) {
    // DWARF 4: length, version, abbreviations, address size; an entry of code 0x7f, which is none.
    info += number(60, 4) + number(4, 2) + number(std::uint64_t{i} * 5, 4) + "\x08\x7f" +
            std::string(52, '\0');
  }
  for (std::uint32_t i = 0; i < entries; ++i) abbreviations += std::string("\x01\x11\0\0\0", 5);
  made_module m;
  m.add({.name = ".debug_info", .bytes = info});
  m.add({.name = ".debug_abbrev", .bytes = abbreviations});
  m.write(file);
  const cost c = cost_of(file, {0x1001});
  CHECK(c.ended);
  CHECK(c.mebibytes < most_mebibytes);
  CHECK(c.notice.find("implausible") != c.notice.npos);
}

TEST_CASE("hostile module: a line table of rows without end") {
  const folder dir;
  const fs::path file = dir / "lines.so";
  // Abbreviation 1: a unit with low_pc, high_pc and stmt_list.
  const std::string abbreviations("\x01\x11\0\x11\x01\x12\x07\x10\x17\0\0\0", 12);
  std::string info = number(4, 2) + number(0, 4) + "\x08\x01" + number(0x1000, 8) +
                     number(0x1000, 8) + number(0, 4);
  info = number(info.size(), 4) + info;
  std::string header("\x01\x01\x01\xfb\x0e\x0d\0\x01\x01\x01\x01\0\0\0\x01\0\0\x01", 18);
  header += std::string("\0", 1) + std::string("f.c\0\0\0\0\0", 8);
  std::string program = std::string("\0\x09\x02", 3) + number(0x1000, 8);
  program += std::string(16 << 20, '\x0e');  // special opcodes: a row each
  program += std::string("\0\x01\x01", 3);
  std::string table = number(4, 2) + number(header.size(), 4) + header + program;
  table = number(table.size(), 4) + table;
  made_module m;
  m.add({.name = ".debug_info", .bytes = info});
  m.add({.name = ".debug_abbrev", .bytes = abbreviations});
  m.add({.name = ".debug_line", .bytes = table});
  m.write(file);
  const cost c = cost_of(file, {0x1001});
  CHECK(c.ended);
  CHECK(c.mebibytes < most_mebibytes);
  CHECK(c.notice.find("its line tables would take more than") != c.notice.npos);
}

TEST_CASE("module that became something else: nothing hangs, and no name of it is shown") {
  const folder dir;
  const fs::path file = dir / "was.so";
  const auto expect = [&](char const* reason) {
    INFO(reason);
    const cost c = cost_of(file, {0x1001});
    CHECK(c.ended);
    CHECK(c.name == "was.so+0x1001@0123456789abcdef");
    CHECK(c.notice.find(reason) != c.notice.npos);
  };
  expect("No such file");
  REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
  expect("not a regular file");
  fs::remove(file);
  fs::create_directory(file);
  expect("not a regular file");
  fs::remove(file);
  for (char const* const device : {"/dev/zero", "/dev/tty", "/dev/full", "/proc/self/fd/0"}) {
    fs::create_symlink(device, file);
    const cost c = cost_of(file, {0x1001});
    CHECK(c.ended);
    CHECK(c.name == "was.so+0x1001@0123456789abcdef");
    fs::remove(file);
  }
  sample(file);
  expect("not the file that was traced");
}
