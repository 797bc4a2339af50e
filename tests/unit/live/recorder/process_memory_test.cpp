// SPDX-License-Identifier: MIT
#include "recorder/process_memory.hpp"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <random>
#include <string>
#include <system_error>
#include <unistd.h>

#include "support/catch2.hpp"

using namespace memprof::recorder;

namespace {

std::uintptr_t address_of(void const* p) { return reinterpret_cast<std::uintptr_t>(p); }

/// A file as the loader maps it: headers, a segment of everything, and one of notes.
struct elf_image {
  Elf64_Ehdr head{};
  Elf64_Phdr segments[2]{};
  struct {
    Elf64_Nhdr head;
    char owner[8];
    std::uint32_t text;
  } notes[2]{};

  elf_image() {
    std::memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_phoff = offsetof(elf_image, segments);
    head.e_phentsize = sizeof(Elf64_Phdr);
    head.e_phnum = 2;
    // Linked to be at 0x1000.
    segments[0].p_type = PT_LOAD;
    segments[0].p_vaddr = 0x1000;
    segments[1].p_type = PT_NOTE;
    segments[1].p_vaddr = 0x1000 + offsetof(elf_image, notes);
    segments[1].p_filesz = sizeof notes;
    segments[1].p_align = 4;
    for (std::uint32_t i = 0; i < 2; ++i) {
      notes[i].head = {.n_namesz = 8, .n_descsz = 4, .n_type = i + 1};
      std::memcpy(notes[i].owner, "memprof", 8);
    }
  }
};

}  // namespace

TEST_CASE("memory of a process is read and written") {
  const process_memory own(getpid());
  int value = 5;
  int read = 0;
  CHECK(own.read(address_of(&value), read));
  CHECK(read == 5);
  CHECK(own.write(address_of(&value), 7));
  CHECK(*static_cast<int volatile*>(&value) == 7);
  CHECK_FALSE(own.read(0, read));
  CHECK_FALSE(own.write(0, 1));
  CHECK_THROWS_AS(process_memory(1 << 30), std::system_error);
}

TEST_CASE("the program is among the files that are mapped from their beginning") {
  const auto files = mapped_files(getpid());
  CHECK(std::ranges::any_of(files, [](mapped_file const& f) {
    return f.name.find("unit_recorder") != std::string::npos;
  }));
  const process_memory own(getpid());
  CHECK(std::ranges::any_of(files, [&](mapped_file const& f) {
    return find_note(own, f.begin, "GNU", NT_GNU_BUILD_ID).size >= 8;
  }));
  CHECK(mapped_files(1 << 30).empty());
}

TEST_CASE("notes are found by owner and type") {
  const process_memory own(getpid());
  elf_image image;
  const std::uintptr_t at = address_of(&image);
  for (std::uint32_t type : {1u, 2u}) {
    const found_note found = find_note(own, at, "memprof", type);
    CHECK(found.begin == address_of(&image.notes[type - 1].text));
    CHECK(found.size == 4);
  }
  CHECK(find_note(own, at, "memprof", 3).size == 0);
  CHECK(find_note(own, at, "another", 1).size == 0);
  CHECK_FALSE(is_32_bit(own, at));
  image.head.e_ident[EI_CLASS] = ELFCLASS32;
  CHECK(is_32_bit(own, at));
  CHECK(find_note(own, at, "memprof", 1).size == 0);
}

TEST_CASE("hostile notes do no harm") {
  const process_memory own(getpid());
  std::mt19937 random(20);
  for (int i = 0; i < 20'000; ++i) {
    elf_image image;
    auto* const bytes = reinterpret_cast<unsigned char*>(&image);
    for (int k = 0; k < 1 + i % 4; ++k) {
      bytes[random() % sizeof image] = static_cast<unsigned char>(random());
    }
    const found_note found = find_note(own, address_of(&image), "memprof", 2);
    CHECK((found.size == 0 || found.size <= 65536));
  }
  elf_image image;
  for (const std::uint32_t size : {~0u, ~0u - 3, ~0u - 15}) {
    image.notes[0].head.n_descsz = size;
    CHECK(find_note(own, address_of(&image), "memprof", 2).size == 0);
    image.notes[0].head.n_descsz = 4;
    image.notes[0].head.n_namesz = size;
    CHECK(find_note(own, address_of(&image), "memprof", 2).size == 0);
    image.notes[0].head.n_namesz = 8;
  }
}
