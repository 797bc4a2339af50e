// SPDX-License-Identifier: MIT
/// \file
/// ELF files made section by section, which no linker would write; and what looking at one costs.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>
#include <zlib.h>

#include "support/catch2.hpp"
#include "symbolize/resolver.hpp"

namespace memprof::test {

class made_module {
 public:
  struct section {
    std::string name;
    std::uint32_t type = SHT_PROGBITS;
    std::uint64_t flags = 0;
    std::string bytes;
    std::uint32_t link = 0;
    std::uint64_t entry_size = 0;
    int same_as = -1;  // the bytes of that section, once more
  };
  static constexpr std::string_view build_id = "0123456789abcdef0011223344556677";

  enum no_id { without_id };
  explicit made_module(no_id) {}
  made_module() {
    std::string note = {4, 0, 0, 0, 16, 0, 0, 0, NT_GNU_BUILD_ID, 0, 0, 0, 'G', 'N', 'U', 0};
    for (std::size_t i = 0; i < build_id.size(); i += 2) {
      note += static_cast<char>(std::stoi(std::string(build_id.substr(i, 2)), nullptr, 16));
    }
    add({.name = ".note.gnu.build-id", .type = SHT_NOTE, .bytes = note});
  }
  /// returns     its number.
  std::uint32_t add(section s) {
    sections_.push_back(std::move(s));
    return static_cast<std::uint32_t>(sections_.size());
  }
  /// `size` zeros as zlib makes them, SHF_COMPRESSED or in the older form.
  void add_bomb(std::string const& name, std::uint64_t size) {
    std::string bytes;
    const bool old = name.starts_with(".z");
    if (old) {
      bytes = "ZLIB";
      for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(size >> shift & 255);
    } else {
      const Elf64_Chdr header{
          .ch_type = ELFCOMPRESS_ZLIB, .ch_reserved = 0, .ch_size = size, .ch_addralign = 1};
      bytes.assign(reinterpret_cast<char const*>(&header), sizeof header);
    }
    add({.name = name,
         .flags = old ? 0U : std::uint64_t{SHF_COMPRESSED},
         .bytes = bytes + zeros(size)});
  }
  /// `length`: of the file, with a hole at its end; 0: none.
  void write(std::filesystem::path const& to, std::uint64_t length = 0) const {
    std::string names(1, '\0'), contents;
    Elf64_Ehdr head{};
    std::memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_ident[EI_DATA] = ELFDATA2LSB;
    head.e_ident[EI_VERSION] = EV_CURRENT;
    head.e_type = ET_DYN;
    head.e_machine = EM_X86_64;
    head.e_version = EV_CURRENT;
    head.e_ehsize = sizeof head;
    head.e_phoff = sizeof head;
    head.e_phentsize = sizeof(Elf64_Phdr);
    head.e_phnum = 1;
    Elf64_Phdr code{};
    code.p_type = PT_LOAD;
    code.p_flags = PF_R | PF_X;
    code.p_vaddr = 0x1000;
    code.p_filesz = code.p_memsz = 0x1000;
    const std::uint64_t begin = sizeof head + sizeof code;
    std::vector<Elf64_Shdr> headers(1);
    for (section const& s : sections_) {
      Elf64_Shdr h{};
      h.sh_name = static_cast<Elf64_Word>(names.size());
      names += s.name + '\0';
      h.sh_type = s.type;
      h.sh_flags = s.flags;
      h.sh_link = s.link;
      h.sh_entsize = s.entry_size;
      h.sh_addralign = 1;
      if (s.same_as >= 0) {
        h.sh_offset = headers[static_cast<std::size_t>(s.same_as)].sh_offset;
        h.sh_size = headers[static_cast<std::size_t>(s.same_as)].sh_size;
      } else {
        contents.resize((contents.size() + 7) / 8 * 8);
        h.sh_offset = begin + contents.size();
        h.sh_size = s.bytes.size();
        contents += s.bytes;
      }
      headers.push_back(h);
    }
    Elf64_Shdr last{};
    last.sh_name = static_cast<Elf64_Word>(names.size());
    names += ".shstrtab";
    names += '\0';
    last.sh_type = SHT_STRTAB;
    last.sh_offset = begin + contents.size();
    last.sh_size = names.size();
    contents += names;
    contents.resize((contents.size() + 7) / 8 * 8);
    headers.push_back(last);
    head.e_shoff = begin + contents.size();
    head.e_shentsize = sizeof(Elf64_Shdr);
    head.e_shnum = static_cast<Elf64_Half>(headers.size());
    head.e_shstrndx = static_cast<Elf64_Half>(headers.size() - 1);
    std::ofstream out(to, std::ios::binary);
    out.write(reinterpret_cast<char const*>(&head), sizeof head);
    out.write(reinterpret_cast<char const*>(&code), sizeof code);
    out << contents;
    out.write(reinterpret_cast<char const*>(headers.data()),
              static_cast<std::streamsize>(headers.size() * sizeof(Elf64_Shdr)));
    out.close();
    REQUIRE(out);
    if (length != 0) std::filesystem::resize_file(to, length);
  }

 private:
  /// A whole number of MiB, each the same bytes: as zlib makes them, only faster.
  static std::string zeros(std::uint64_t size) {
    z_stream z{};
    REQUIRE(deflateInit2(&z, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY) == Z_OK);
    std::string none(1 << 20, '\0'), one(1 << 16, '\0');
    z.next_in = reinterpret_cast<Bytef*>(none.data());
    z.avail_in = static_cast<uInt>(none.size());
    z.next_out = reinterpret_cast<Bytef*>(one.data());
    z.avail_out = static_cast<uInt>(one.size());
    REQUIRE(deflate(&z, Z_FULL_FLUSH) == Z_OK);
    one.resize(one.size() - z.avail_out);
    deflateEnd(&z);
    std::string all = "\x78\xda";
    for (std::uint64_t i = 0; i < size >> 20; ++i) all += one;
    all += std::string("\x03\0", 2);  // the last block
    const std::uint64_t sum = size % 65521 << 16 | 1;
    for (int shift = 24; shift >= 0; shift -= 8) all += static_cast<char>(sum >> shift & 255);
    return all;
  }

  std::vector<section> sections_;
};

/// What a process of its own needs that resolves these locations of a module.
struct cost {
  bool ended = false;  // in 20 s of processor time
  double mebibytes = 0;
  std::string name, notice;  // of the first location; the first
};

inline cost cost_of(std::filesystem::path const& module,
                    std::vector<std::uint64_t> const& addresses,
                    std::string_view build_id = made_module::build_id) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const rlimit seconds{20, 20}, room{std::uint64_t{4} << 30, std::uint64_t{4} << 30};
    ::setrlimit(RLIMIT_CPU, &seconds);
    ::setrlimit(RLIMIT_AS, &room);
    ::alarm(60);
    symbolize::resolver names;
    std::string answer;
    for (const std::uint64_t a : addresses) {
      char text[40];
      std::snprintf(text, sizeof text, "+0x%llx", static_cast<unsigned long long>(a));
      const std::string file = module, name = module.filename().string() + text +
                                              (build_id.empty() ? "" : "@") +
                                              std::string(build_id.substr(0, 16));
      const trace::location l{file, name, 0, 0, 0};
      const auto found = names.resolve({&l, 1});
      if (answer.empty()) answer = found.empty() ? "-" : found.front().defname;
    }
    answer += '\n';
    if (!names.notices().empty()) answer += names.notices().front();
    ::write(ends[1], answer.data(), answer.size()) < 0 ? ::_exit(1) : ::_exit(0);
  }
  ::close(ends[1]);
  std::string answer;
  char part[4096];
  for (ssize_t n = 0; (n = ::read(ends[0], part, sizeof part)) > 0;) {
    answer.append(part, static_cast<std::size_t>(n));
  }
  ::close(ends[0]);
  int status = 0;
  rusage used{};
  REQUIRE(::wait4(child, &status, 0, &used) == child);
  const std::size_t line = answer.find('\n');
  return {.ended = WIFEXITED(status) && WEXITSTATUS(status) == 0,
          .mebibytes = static_cast<double>(used.ru_maxrss) / 1024,
          .name = answer.substr(0, line),
          .notice = line == answer.npos ? "" : answer.substr(line + 1)};
}

}  // namespace memprof::test
