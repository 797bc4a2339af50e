// SPDX-License-Identifier: MIT
#include "modules/loaded_image.hpp"

#include <algorithm>
#include <cstring>
#include <elf.h>

namespace memprof::modules {
namespace {

std::span<unsigned char const> find_note(std::span<unsigned char const> notes,
                                         std::size_t alignment, std::string_view owner,
                                         std::uint32_t type) noexcept {
  const auto aligned = [alignment](std::size_t n) {
    return (n + alignment - 1) & ~(alignment - 1);
  };
  ElfW(Nhdr) note;
  while (notes.size() >= sizeof note) {
    std::memcpy(&note, notes.data(), sizeof note);
    // 32-bit sizes: the sums do not overflow.
    const std::size_t text = aligned(sizeof note + note.n_namesz);
    if (text > notes.size() || note.n_descsz > notes.size() - text) break;
    // The name ends with a zero, which counts.
    if (note.n_type == type && note.n_namesz == owner.size() + 1 &&
        std::memcmp(notes.data() + sizeof note, owner.data(), owner.size()) == 0) {
      return notes.subspan(text, note.n_descsz);
    }
    notes = notes.subspan(std::min(aligned(text + note.n_descsz), notes.size()));
  }
  return {};
}

}  // namespace

loaded_image loaded_image::at(std::uintptr_t start, std::uintptr_t bias) noexcept {
  auto const* const page = reinterpret_cast<unsigned char const*>(start);
  ElfW(Ehdr) header;
  std::memcpy(&header, page, sizeof header);
  loaded_image image{bias, {}};
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
      header.e_phentsize == sizeof(ElfW(Phdr)) && header.e_phoff <= page_size &&
      header.e_phnum <= (page_size - header.e_phoff) / sizeof(ElfW(Phdr))) {
    image.segments = {reinterpret_cast<ElfW(Phdr) const*>(page + header.e_phoff), header.e_phnum};
  }
  return image;
}

ElfW(Phdr) const* loaded_image::header(std::uint32_t type) const noexcept {
  for (ElfW(Phdr) const& s : segments) {
    if (s.p_type == type) return &s;
  }
  return nullptr;
}

address_range loaded_image::extent() const noexcept {
  address_range all{~std::uintptr_t{0}, 0};
  for (ElfW(Phdr) const& s : segments) {
    if (s.p_type != PT_LOAD) continue;
    all.begin = std::min<std::uintptr_t>(all.begin, bias + s.p_vaddr);
    all.end = std::max<std::uintptr_t>(all.end, bias + s.p_vaddr + s.p_memsz);
  }
  return all.begin < all.end ? all : address_range{};
}

unsigned char const* loaded_image::in_memory(std::uintptr_t address,
                                             std::size_t size) const noexcept {
  for (ElfW(Phdr) const& s : segments) {
    if (s.p_type == PT_LOAD && (s.p_flags & PF_R) != 0 && address >= s.p_vaddr &&
        address - s.p_vaddr <= s.p_filesz && size <= s.p_filesz - (address - s.p_vaddr)) {
      return reinterpret_cast<unsigned char const*>(bias + address);
    }
  }
  return nullptr;
}

address_range loaded_image::readable_around(std::uintptr_t address) const noexcept {
  for (ElfW(Phdr) const& s : segments) {
    const std::uintptr_t begin = bias + s.p_vaddr;
    if (s.p_type == PT_LOAD && (s.p_flags & PF_R) != 0 && address >= begin &&
        address - begin < s.p_memsz) {
      return {begin, begin + s.p_memsz};
    }
  }
  return {};
}

std::uintptr_t loaded_image::end_of_code_at(std::uintptr_t address) const noexcept {
  for (ElfW(Phdr) const& s : segments) {
    if (s.p_type == PT_LOAD && (s.p_flags & PF_X) != 0 && address >= s.p_vaddr &&
        address - s.p_vaddr < s.p_memsz) {
      return s.p_vaddr + s.p_memsz;
    }
  }
  return 0;
}

std::span<unsigned char const> loaded_image::note(std::string_view owner, std::uint32_t type,
                                                  std::uintptr_t limit) const noexcept {
  for (ElfW(Phdr) const& s : segments) {
    if (s.p_type != PT_NOTE || bias + s.p_vaddr + s.p_filesz > limit) continue;
    unsigned char const* const notes = in_memory(s.p_vaddr, s.p_filesz);
    if (notes == nullptr) continue;
    const auto text = find_note({notes, s.p_filesz}, s.p_align == 8 ? 8 : 4, owner, type);
    if (!text.empty()) return text;
  }
  return {};
}

std::span<unsigned char const> loaded_image::build_id(std::uintptr_t limit) const noexcept {
  return note("GNU", NT_GNU_BUILD_ID, limit);
}

}  // namespace memprof::modules
