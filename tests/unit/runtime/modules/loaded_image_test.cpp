// SPDX-License-Identifier: MIT
#include "modules/loaded_image.hpp"

#include <array>
#include <cstring>
#include <elf.h>
#include <initializer_list>
#include <string_view>

#include "support/catch2.hpp"

using namespace memprof::modules;

namespace {

ElfW(Phdr) segment(std::uint32_t type, std::uint32_t flags, std::uintptr_t begin,
                   std::size_t in_file, std::size_t in_memory) {
  ElfW(Phdr) s{};
  s.p_type = type;
  s.p_flags = flags;
  s.p_vaddr = begin;
  s.p_filesz = in_file;
  s.p_memsz = in_memory;
  s.p_align = 4;
  return s;
}

/// A module that is made up: its bytes, of which 0x100 is the first, and its segments.
struct made_up {
  static constexpr std::uintptr_t first = 0x100;
  std::array<unsigned char, 0x600> bytes{};
  std::array<ElfW(Phdr), 6> segments{segment(PT_LOAD, PF_R, 0x100, 0x80, 0x80),
                                     segment(PT_LOAD, PF_R | PF_X, 0x200, 0x80, 0x80),
                                     segment(PT_LOAD, PF_R | PF_W, 0x300, 0x40, 0x80),
                                     segment(PT_LOAD, 0, 0x400, 0x80, 0x80),
                                     segment(PT_NOTE, PF_R, 0x140, 0x40, 0x40),
                                     segment(PT_NOTE, PF_R, 0x500, 0x40, 0x40)};

  [[nodiscard]] loaded_image image() const {
    return {reinterpret_cast<std::uintptr_t>(bytes.data()) - first, segments};
  }
  /// In memory.
  [[nodiscard]] std::uintptr_t at(std::uintptr_t address) const { return image().bias + address; }
  unsigned char* data(std::uintptr_t address) { return bytes.data() + (address - first); }
};

}  // namespace

TEST_CASE("loaded image: bytes of the file that can be read in memory") {
  const made_up m;
  const auto image = m.image();
  const auto is_there = [&](std::uintptr_t address, std::size_t size) {
    unsigned char const* const found = image.in_memory(address, size);
    CHECK((found == nullptr || found == reinterpret_cast<unsigned char const*>(m.at(address))));
    return found != nullptr;
  };
  CHECK(is_there(0x100, 0x80));
  CHECK_FALSE(is_there(0x100, 0x81));
  CHECK_FALSE(is_there(0xff, 2));
  CHECK(is_there(0x140, 0x40));
  CHECK_FALSE(is_there(0x140, 0x41));
  CHECK(is_there(0x17f, 1));
  CHECK(is_there(0x180, 0));
  CHECK_FALSE(is_there(0x181, 1));
  CHECK(is_there(0x200, 0x80));
  CHECK(is_there(0x300, 0x40));
  CHECK_FALSE(is_there(0x300, 0x41));  // the rest is not of the file
  CHECK_FALSE(is_there(0x400, 1));     // not readable
  CHECK_FALSE(is_there(0x500, 1));     // a note that is not loaded
  CHECK_FALSE(is_there(0x100, ~std::size_t{0}));
}

TEST_CASE("loaded image: segments around addresses, and the whole") {
  const made_up m;
  const auto image = m.image();
  CHECK(image.extent() == address_range{m.at(0x100), m.at(0x480)});
  for (const std::uintptr_t begin : {0x100U, 0x200U, 0x300U}) {
    const address_range around{m.at(begin), m.at(begin + 0x80)};
    CHECK(image.readable_around(m.at(begin)) == around);
    CHECK(image.readable_around(m.at(begin + 0x7f)) == around);
    CHECK(image.readable_around(m.at(begin + 0x80)) == address_range{});
    CHECK(image.readable_around(m.at(begin - 1)) == address_range{});
  }
  CHECK(image.readable_around(m.at(0x400)) == address_range{});
  CHECK(image.readable_around(m.at(0x500)) == address_range{});
  CHECK(image.end_of_code_at(0x1ff) == 0);
  CHECK(image.end_of_code_at(0x200) == 0x280);
  CHECK(image.end_of_code_at(0x27f) == 0x280);
  CHECK(image.end_of_code_at(0x280) == 0);
  CHECK(image.end_of_code_at(0x100) == 0);
  CHECK(image.header(PT_NOTE) == &m.segments[4]);
  CHECK(image.header(PT_DYNAMIC) == nullptr);
  CHECK(loaded_image{}.extent() == address_range{});
}

TEST_CASE("loaded image: notes, and those that lie about their length") {
  made_up m;
  const auto put = [&m](std::uintptr_t where, std::initializer_list<std::uint32_t> words) {
    for (const std::uint32_t word : words) {
      std::memcpy(m.data(where), &word, sizeof word);
      where += sizeof word;
    }
  };
  constexpr std::uint32_t gnu = 0x00554e47;  // "GNU"
  // One of another owner, one of another type, and the build id.
  put(0x140, {4, 1, NT_GNU_BUILD_ID, 0x00545854, 0xaa, 4, 4, NT_GNU_ABI_TAG, gnu, 0xbb, 4, 6,
              NT_GNU_BUILD_ID, gnu, 0x44332211, 0x6655});
  const auto id = m.image().build_id();
  REQUIRE(id.size() == 6);
  CHECK(id.data() == m.data(0x140 + 14 * 4));
  CHECK(id[0] == 0x11);
  CHECK(id[5] == 0x66);
  CHECK(m.image().note("GNU", NT_GNU_ABI_TAG).size() == 4);
  CHECK(m.image().note("TXT", NT_GNU_BUILD_ID).size() == 1);
  CHECK(m.image().note("GN", NT_GNU_BUILD_ID).empty());
  CHECK(m.image().build_id(m.at(0x180)).size() == 6);
  CHECK(m.image().build_id(m.at(0x17f)).empty());  // its end lies beyond
  char text[17] = "unchanged";
  write_short_build_id(id, text);
  CHECK(std::string_view{text} == "unchanged");

  // The last that fits, and those that do not.
  m.bytes = {};
  put(0x140, {4, 0x30, NT_GNU_BUILD_ID, gnu, 0x44332211, 0x88776655});
  CHECK(m.image().build_id().size() == 0x30);
  write_short_build_id(m.image().build_id(), text);
  CHECK(std::string_view{text} == "1122334455667788");
  for (const std::uint32_t size : {0x31u, 0x100u, 0xffff'ffffu}) {
    put(0x140, {4, size, NT_GNU_BUILD_ID, gnu});
    CHECK(m.image().build_id().empty());
    put(0x140, {size, 4, NT_GNU_BUILD_ID, gnu});
    CHECK(m.image().build_id().empty());
  }
}
