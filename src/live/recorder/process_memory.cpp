// SPDX-License-Identifier: MIT
#include "recorder/process_memory.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <system_error>
#include <unistd.h>

#include "recorder/process_facts.hpp"

namespace memprof::recorder {
namespace {

/// More than any file has of them. What a process says of itself is not trusted.
constexpr std::size_t most_segments = 256;
constexpr std::size_t most_note_bytes = 65536;

constexpr std::size_t aligned(std::size_t size, std::size_t to) noexcept {
  return (size + to - 1) / to * to;
}

/// In a segment of notes.
found_note note_in(std::span<std::byte const> notes, std::uintptr_t at, std::size_t alignment,
                   std::string const& owner, std::uint32_t type) {
  std::size_t done = 0;
  Elf64_Nhdr head;
  while (notes.size() - done >= sizeof head) {
    std::memcpy(&head, notes.data() + done, sizeof head);
    const std::size_t name = done + sizeof head;
    const std::size_t text = aligned(name + head.n_namesz, alignment);
    if (text > notes.size() || head.n_descsz > notes.size() - text) break;
    if (head.n_type == type && head.n_namesz == owner.size() + 1 &&
        std::memcmp(notes.data() + name, owner.c_str(), owner.size() + 1) == 0) {
      return {at + text, head.n_descsz};
    }
    done = std::min(aligned(text + head.n_descsz, alignment), notes.size());
  }
  return {};
}

}  // namespace

process_memory::process_memory(pid_t process)
    : descriptor_(::open(file_of_process(process, "mem").c_str(), O_RDWR | O_CLOEXEC)) {
  if (descriptor_ < 0) throw std::system_error(errno, std::generic_category());
}

process_memory::~process_memory() { ::close(descriptor_); }

bool process_memory::read(std::uintptr_t from, std::span<std::byte> into) const noexcept {
  return ::pread(descriptor_, into.data(), into.size(), static_cast<off_t>(from)) ==
         static_cast<ssize_t>(into.size());
}

bool process_memory::write(std::uintptr_t to, std::span<std::byte const> bytes) const noexcept {
  return ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(to)) ==
         static_cast<ssize_t>(bytes.size());
}

std::vector<mapped_file> mapped_files(pid_t process) {
  std::vector<mapped_file> files;
  std::ifstream maps(file_of_process(process, "maps"));
  for (std::string line; std::getline(maps, line);) {
    std::istringstream in(line);  // BEGIN-END rwxp OFFSET DEVICE INODE NAME
    std::string range, rights, offset, device, inode, name;
    in >> range >> rights >> offset >> device >> inode >> std::ws;
    std::getline(in, name);
    if (inode == "0" || rights.front() != 'r' || offset.find_first_not_of('0') != offset.npos) {
      continue;
    }
    files.push_back({std::strtoull(range.c_str(), nullptr, 16), name});
  }
  return files;
}

bool is_32_bit(process_memory const& memory, std::uintptr_t file) {
  unsigned char identity[EI_NIDENT];
  return memory.read(file, identity) && std::memcmp(identity, ELFMAG, SELFMAG) == 0 &&
         identity[EI_CLASS] == ELFCLASS32;
}

found_note find_note(process_memory const& memory, std::uintptr_t file, std::string const& owner,
                     std::uint32_t type) {
  Elf64_Ehdr head;
  if (!memory.read(file, head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
      head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_phentsize != sizeof(Elf64_Phdr) ||
      head.e_phnum > most_segments) {
    return {};
  }
  std::vector<Elf64_Phdr> segments(head.e_phnum);
  if (!memory.read(file + head.e_phoff, std::as_writable_bytes(std::span(segments)))) return {};
  // The file's beginning is in the segment with the lowest address.
  const auto lowest = std::find_if(segments.begin(), segments.end(),
                                   [](Elf64_Phdr const& s) { return s.p_type == PT_LOAD; });
  if (lowest == segments.end() || lowest->p_offset != 0) return {};
  const std::uintptr_t bias = file - lowest->p_vaddr;
  for (Elf64_Phdr const& s : segments) {
    if (s.p_type != PT_NOTE || s.p_filesz > most_note_bytes) continue;
    std::vector<std::byte> notes(s.p_filesz);
    if (!memory.read(bias + s.p_vaddr, notes)) continue;
    const found_note found = note_in(notes, bias + s.p_vaddr, s.p_align == 8 ? 8 : 4, owner, type);
    if (found.size != 0) return found;
  }
  return {};
}

}  // namespace memprof::recorder
