// SPDX-License-Identifier: MIT
#include "symbolize/elf_image.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace memprof::symbolize {
namespace {

/// zlib cannot make more of a byte; a section that claims to be larger is refused before memory is
/// asked for.
constexpr std::uint64_t largest_ratio = 1032;

std::string hexadecimal(void const* bytes, std::size_t n) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (auto const* b = static_cast<std::uint8_t const*>(bytes); n != 0; --n, ++b) {
    text += digits[*b >> 4];
    text += digits[*b & 15];
  }
  return text;
}

bytes_view data_of(Elf_Data const* data) {
  if (data == nullptr || data->d_buf == nullptr) return {};
  return {static_cast<std::uint8_t const*>(data->d_buf), data->d_size};
}

bool uncompress(Elf_Scn* section, GElf_Shdr const& header, bool old_style) {
  if (old_style) {
    // "ZLIB" and the size, big endian.
    const bytes_view raw = data_of(elf_rawdata(section, nullptr));
    if (raw.size() < 12) return false;
    std::uint64_t size = 0;
    for (std::size_t i = 4; i < 12; ++i) size = size << 8 | raw[i];
    return size / largest_ratio <= raw.size() && elf_compress_gnu(section, 0, 0) >= 0;
  }
  GElf_Chdr compressed;
  if (gelf_getchdr(section, &compressed) == nullptr) return false;
  return compressed.ch_size / largest_ratio <= header.sh_size && elf_compress(section, 0, 0) >= 0;
}

}  // namespace

std::unique_ptr<elf_image> elf_image::open(std::filesystem::path const& file, std::string& reason) {
  std::unique_ptr<elf_image> image{new elf_image};
  image->path_ = file;
  // A path in a trace may name a pipe or a terminal: do not wait for those.
  image->descriptor_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat status {};
  if (image->descriptor_ < 0 || ::fstat(image->descriptor_, &status) != 0) {
    reason = std::generic_category().message(errno);
    return nullptr;
  }
  if (!S_ISREG(status.st_mode)) {
    reason = "not a regular file";
    return nullptr;
  }
  image->file_size_ = static_cast<std::uint64_t>(status.st_size);
  elf_version(EV_CURRENT);
  // Read, not mapped: a file that is cut while we look at it must not end in SIGBUS.
  image->elf_ = elf_begin(image->descriptor_, ELF_C_READ, nullptr);
  GElf_Ehdr header;
  if (image->elf_ == nullptr || elf_kind(image->elf_) != ELF_K_ELF ||
      gelf_getehdr(image->elf_, &header) == nullptr) {
    reason = "not a readable ELF file";
    return nullptr;
  }
  const bool little = header.e_ident[EI_DATA] == ELFDATA2LSB;
  if (little != (std::endian::native == std::endian::little)) {
    reason = "an ELF file of the other byte order";
    return nullptr;
  }
  image->read_segments();
  void const* id = nullptr;
  if (const ssize_t n = dwelf_elf_gnu_build_id(image->elf_, &id); n > 0) {
    image->build_id_ = hexadecimal(id, static_cast<std::size_t>(n));
  }
  return image;
}

elf_image::~elf_image() {
  if (elf_ != nullptr) elf_end(elf_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

void elf_image::read_segments() {
  std::size_t n = 0;
  if (elf_getphdrnum(elf_, &n) != 0) return;
  for (std::size_t i = 0; i < n; ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf_, static_cast<int>(i), &segment) == nullptr) break;
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    if (segment.p_memsz > ~segment.p_vaddr) continue;
    executable_.push_back({segment.p_vaddr, segment.p_vaddr + segment.p_memsz, segment.p_offset});
  }
}

bool elf_image::executable(std::uint64_t address) const noexcept {
  return std::ranges::any_of(executable_,
                             [&](extent const& e) { return address >= e.low && address < e.high; });
}

bytes_view elf_image::section(std::string_view name) {
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf_, &names) != 0) return {};
  for (Elf_Scn* s = nullptr; (s = elf_nextscn(elf_, s)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(s, &header) == nullptr) continue;
    char const* const text = elf_strptr(elf_, names, header.sh_name);
    if (text == nullptr) continue;
    const std::string_view is = text;
    const bool old_style =
        is.starts_with(".z") && name.starts_with('.') && is.substr(2) == name.substr(1);
    if (is != name && !old_style) continue;
    if (header.sh_type == SHT_NOBITS) return {};
    if (old_style || (header.sh_flags & SHF_COMPRESSED) != 0) {
      if (!uncompress(s, header, old_style)) return {};
      return data_of(elf_getdata(s, nullptr));
    }
    return data_of(elf_rawdata(s, nullptr));
  }
  return {};
}

elf_image::debug_link elf_image::link() {
  debug_link result;
  byte_reader r{section(".gnu_debuglink")};
  result.file = r.text();
  r.seek((r.position() + 3) & ~std::uint64_t{3});
  result.crc = r.u32();
  if (!r.good()) return {};
  return result;
}

elf_image::alternative_link elf_image::alternative() {
  alternative_link result;
  const bytes_view bytes = section(".gnu_debugaltlink");
  byte_reader r{bytes};
  result.file = r.text();
  if (!r.good()) return {};
  const bytes_view id = bytes.subspan(r.position());
  result.build_id = hexadecimal(id.data(), id.size());
  return result;
}

std::vector<elf_image::symbol> elf_image::functions(bool dynamic) {
  std::vector<symbol> result;
  for (Elf_Scn* s = nullptr; (s = elf_nextscn(elf_, s)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(s, &header) == nullptr) continue;
    if (header.sh_type != (dynamic ? SHT_DYNSYM : SHT_SYMTAB) || header.sh_entsize == 0) continue;
    Elf_Data* const data = elf_getdata(s, nullptr);
    if (data == nullptr) continue;
    for (int i = 1;; ++i) {
      GElf_Sym found;
      if (gelf_getsym(data, i, &found) == nullptr) break;
      const auto type = GELF_ST_TYPE(found.st_info);
      if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) continue;
      if (found.st_size == 0 || found.st_shndx == SHN_UNDEF || found.st_shndx == SHN_ABS) {
        continue;
      }
      if (found.st_size > ~found.st_value) continue;
      char const* const name = elf_strptr(elf_, header.sh_link, found.st_name);
      if (name == nullptr || *name == '\0') continue;
      result.push_back({found.st_value, found.st_size, name,
                        static_cast<std::uint8_t>(GELF_ST_BIND(found.st_info))});
    }
  }
  return result;
}

}  // namespace memprof::symbolize
