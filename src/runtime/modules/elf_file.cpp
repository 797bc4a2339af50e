// SPDX-License-Identifier: MIT
#include "modules/elf_file.hpp"

#include <bit>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/base.hpp"

namespace memprof::modules {
namespace {

// Through syscall(): open, read and close are cancellation points, and may be wrapped.
template <class... Arguments>
long call(long number, Arguments... arguments) noexcept {
  long result = 0;
  do {
    result = syscall(number, arguments...);
  } while (result == -1 && errno == EINTR && number != SYS_close);
  return result;
}

/// Where the bytes [address, address + size) of the file's image are in memory; null unless all of
/// them come from the file and can be read.
unsigned char const* in_memory(loaded_image const& image, std::uintptr_t address,
                               std::size_t size) noexcept {
  for (unsigned i = 0; i < image.count; ++i) {
    ElfW(Phdr) const& s = image.segments[i];
    if (s.p_type == PT_LOAD && (s.p_flags & PF_R) != 0 && address >= s.p_vaddr &&
        address - s.p_vaddr <= s.p_filesz && size <= s.p_filesz - (address - s.p_vaddr)) {
      return reinterpret_cast<unsigned char const*>(image.bias + address);
    }
  }
  return nullptr;
}

/// The offset and size of the build id within the `size` bytes of notes at `notes`.
struct place {
  std::size_t offset = 0;
  std::size_t size = 0;
};
place find_build_id(unsigned char const* notes, std::size_t size, std::size_t alignment) noexcept {
  const auto aligned = [alignment](std::size_t n) {
    return (n + alignment - 1) & ~(alignment - 1);
  };
  ElfW(Nhdr) note;
  for (std::size_t at = 0; at < size && size - at >= sizeof note;) {
    std::memcpy(&note, notes + at, sizeof note);
    // 32-bit sizes: the sums do not overflow.
    const std::size_t text = aligned(sizeof note + note.n_namesz);
    if (text > size - at || note.n_descsz > size - at - text) return {};
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz != 0 &&
        std::memcmp(notes + at + sizeof note, "GNU", 4) == 0) {
      return {at + text, note.n_descsz};
    }
    at += aligned(text + note.n_descsz);
  }
  return {};
}

}  // namespace

std::uintptr_t loaded_image::end_of_code_at(std::uintptr_t address) const noexcept {
  for (unsigned i = 0; i < count; ++i) {
    ElfW(Phdr) const& s = segments[i];
    if (s.p_type == PT_LOAD && (s.p_flags & PF_X) != 0 && address >= s.p_vaddr &&
        address - s.p_vaddr < s.p_memsz) {
      return s.p_vaddr + s.p_memsz;
    }
  }
  return 0;
}

file_part::~file_part() {
  if (data_ != nullptr) base::unmap_pages(data_, size_ + 1);
}

elf_file::elf_file(char const* path) noexcept {
  // Without waiting for the other end of what is no file.
  descriptor_ = static_cast<int>(
      call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0));
  if (descriptor_ < 0) return;
  struct stat status = {};
  if (call(SYS_fstat, descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) return;
  size_ = static_cast<std::uint64_t>(status.st_size);
  if (!read_into(0, &header_, sizeof header_)) return;
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
    if (!read_into(header_.e_shoff, &first, sizeof first)) return;
    count = first.sh_size;
  }
  if (count > size_ / sizeof(ElfW(Shdr))) return;
  read(header_.e_shoff, count * sizeof(ElfW(Shdr)), sections_);
}

elf_file::~elf_file() {
  if (descriptor_ >= 0) call(SYS_close, descriptor_);
}

bool elf_file::read_into(std::uint64_t offset, void* to, std::size_t size) const noexcept {
  if (offset > size_ || size > size_ - offset) return false;
  auto* at = static_cast<unsigned char*>(to);
  while (size != 0) {
    const long got = call(SYS_pread64, descriptor_, at, size, offset);
    if (got <= 0) return false;  // 0: it was truncated meanwhile
    const auto taken = static_cast<std::size_t>(got);
    at += taken;
    offset += taken;
    size -= taken;
  }
  return true;
}

bool elf_file::read(std::uint64_t offset, std::uint64_t size, file_part& part) const noexcept {
  if (part.data_ != nullptr) base::unmap_pages(part.data_, part.size_ + 1);
  part.data_ = nullptr;
  part.size_ = 0;
  if (size == 0 || offset > size_ || size > size_ - offset) return false;
  void* memory = base::map_pages(size + 1);
  if (memory == nullptr) return false;
  if (!read_into(offset, memory, size)) {
    base::unmap_pages(memory, size + 1);
    return false;
  }
  part.data_ = static_cast<unsigned char*>(memory);
  part.size_ = size;
  return true;
}

bool elf_file::same_as_in_memory(loaded_image const& image, std::uint64_t offset,
                                 std::uintptr_t address, std::size_t size) const noexcept {
  unsigned char const* memory = in_memory(image, address, size);
  file_part part;
  return memory != nullptr && read(offset, size, part) &&
         std::memcmp(part.data(), memory, size) == 0;
}

bool elf_file::is_file_of(loaded_image const& image) const noexcept {
  const std::size_t headers_size = image.count * sizeof(ElfW(Phdr));
  file_part headers;
  if (!is_open() || header_.e_phnum != image.count ||
      !read(header_.e_phoff, headers_size, headers) ||
      std::memcmp(headers.data(), image.segments, headers_size) != 0) {
    return false;
  }
  for (unsigned i = 0; i < image.count; ++i) {
    ElfW(Phdr) const& s = image.segments[i];
    if (s.p_type != PT_NOTE) continue;
    unsigned char const* notes = in_memory(image, s.p_vaddr, s.p_filesz);
    if (notes == nullptr) continue;
    const place id = find_build_id(notes, s.p_filesz, s.p_align == 8 ? 8 : 4);
    if (id.size != 0) {
      return same_as_in_memory(image, s.p_offset + id.offset, s.p_vaddr + id.offset, id.size);
    }
  }
  for (unsigned i = 0; i < image.count; ++i) {
    ElfW(Phdr) const& s = image.segments[i];
    if (s.p_type == PT_GNU_EH_FRAME && s.p_filesz != 0) {
      return same_as_in_memory(image, s.p_offset, s.p_vaddr, s.p_filesz);
    }
  }
  return true;
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
    if (strings.sh_type == SHT_STRTAB && read(table.sh_offset, table.sh_size, symbols) &&
        read(strings.sh_offset, strings.sh_size, names)) {
      return symbols.size() / sizeof(ElfW(Sym));
    }
  }
  return 0;
}

}  // namespace memprof::modules
