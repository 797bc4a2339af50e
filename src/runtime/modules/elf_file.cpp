// SPDX-License-Identifier: MIT
#include "modules/elf_file.hpp"

#include <bit>
#include <cstring>

namespace memprof::modules {

elf_file::elf_file(char const* path) noexcept : file_(path) {
  if (!file_.is_open() || !file_.read_into(0, &header_, sizeof header_)) return;
  constexpr auto byte_order =
      std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  if (std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0 ||
      header_.e_ident[EI_CLASS] != ELFCLASS64 || header_.e_ident[EI_DATA] != byte_order ||
      header_.e_phentsize != sizeof(ElfW(Phdr)) || header_.e_shentsize != sizeof(ElfW(Shdr))) {
    return;
  }
  std::uint64_t count = header_.e_shnum;
  if (count == 0) {  // more than fit into 16 bits: the first header says how many
    ElfW(Shdr) first = {};
    if (!file_.read_into(header_.e_shoff, &first, sizeof first)) return;
    count = first.sh_size;
  }
  if (count > file_.size() / sizeof(ElfW(Shdr))) return;
  file_.read(header_.e_shoff, count * sizeof(ElfW(Shdr)), sections_);
}

bool elf_file::same_as_in_memory(loaded_image const& image, std::uint64_t offset,
                                 std::uintptr_t address, std::size_t size) const noexcept {
  unsigned char const* memory = image.in_memory(address, size);
  file_part part;
  return memory != nullptr && file_.read(offset, size, part) &&
         std::memcmp(part.data(), memory, size) == 0;
}

bool elf_file::is_file_of(loaded_image const& image) const noexcept {
  const std::size_t headers_size = image.segments.size_bytes();
  file_part headers;
  if (!is_open() || header_.e_phnum != image.segments.size() ||
      !file_.read(header_.e_phoff, headers_size, headers) ||
      std::memcmp(headers.data(), image.segments.data(), headers_size) != 0) {
    return false;
  }
  if (const auto id = image.build_id(); !id.empty()) {
    const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(id.data()) - image.bias;
    for (ElfW(Phdr) const& s : image.segments) {
      if (s.p_type == PT_LOAD && address - s.p_vaddr < s.p_filesz) {
        return same_as_in_memory(image, s.p_offset + (address - s.p_vaddr), address, id.size());
      }
    }
  }
  ElfW(Phdr) const* const unwinding = image.header(PT_GNU_EH_FRAME);
  return unwinding == nullptr || unwinding->p_filesz == 0 ||
         same_as_in_memory(image, unwinding->p_offset, unwinding->p_vaddr, unwinding->p_filesz);
}

std::size_t elf_file::read_symbols(std::uint32_t type, file_part& symbols,
                                   file_part& names) const noexcept {
  if (!is_open()) return 0;
  auto const* sections = reinterpret_cast<ElfW(Shdr) const*>(sections_.data());
  const std::size_t count = sections_.size() / sizeof *sections;
  for (std::size_t i = 0; i < count; ++i) {
    ElfW(Shdr) const& table = sections[i];
    if (table.sh_type != type || table.sh_entsize != sizeof(ElfW(Sym)) || table.sh_link >= count) {
      continue;
    }
    ElfW(Shdr) const& strings = sections[table.sh_link];
    if (strings.sh_type == SHT_STRTAB && file_.read(table.sh_offset, table.sh_size, symbols) &&
        file_.read(strings.sh_offset, strings.sh_size, names)) {
      return symbols.size() / sizeof(ElfW(Sym));
    }
  }
  return 0;
}

}  // namespace memprof::modules
