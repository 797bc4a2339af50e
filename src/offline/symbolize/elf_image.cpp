// SPDX-License-Identifier: MIT
#include "symbolize/elf_image.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "symbolize/build_id.hpp"
#include "symbolize/memory_budget.hpp"

namespace memprof::symbolize {
namespace {

/// Linked modules have some 40. Names of sections are looked through many times.
constexpr std::size_t most_sections = 4096;
constexpr std::uint64_t most_section_names = 1 << 20;
/// Mangled names may be long, but those of several symbols may also be the same bytes.
constexpr std::size_t longest_symbol = 1 << 14;
/// Of a file with holes more are not looked at.
constexpr int most_extents = 4096;

bytes_view data_of(Elf_Data const* data) {
  if (data == nullptr || data->d_buf == nullptr) return {};
  return {static_cast<std::uint8_t const*>(data->d_buf), data->d_size};
}

bool is_old_style(std::string_view name) { return name.starts_with(".z"); }

bool uncompress(Elf_Scn* section, bool old_style) {
  return (old_style ? elf_compress_gnu(section, 0, 0) : elf_compress(section, 0, 0)) >= 0;
}

/// Bytes of a section in memory, uncompressed.
std::uint64_t uncompressed_size(int descriptor, Elf_Scn* section, GElf_Shdr const& header,
                                bool old_style) {
  if (header.sh_type == SHT_NOBITS) return 0;
  if (old_style) {
    // "ZLIB" and the size, big endian.
    std::array<std::uint8_t, 12> raw{};
    if (::pread(descriptor, raw.data(), raw.size(), static_cast<off_t>(header.sh_offset)) !=
        ssize_t{raw.size()}) {
      return 0;
    }
    std::uint64_t size = 0;
    for (std::size_t i = 4; i < raw.size(); ++i) size = size << 8 | raw[i];
    return size;
  }
  if ((header.sh_flags & SHF_COMPRESSED) == 0) return header.sh_size;
  GElf_Chdr compressed;
  return gelf_getchdr(section, &compressed) == nullptr ? 0 : compressed.ch_size;
}

/// Of a file with holes what is not in them: these would be read as zeros, and take memory.
std::uint64_t bytes_of_data(int descriptor, std::uint64_t size) {
  std::uint64_t all = 0;
  off_t at = 0;
  for (int i = 0; i < most_extents; ++i) {
    const off_t data = ::lseek(descriptor, at, SEEK_DATA);
    if (data < 0) return errno == ENXIO ? all : size;  // nothing more; not known here
    at = ::lseek(descriptor, data, SEEK_HOLE);
    if (at <= data) return size;
    all += static_cast<std::uint64_t>(at - data);
  }
  return all;
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
  image->modified_ += std::chrono::seconds(status.st_mtim.tv_sec) +
                      std::chrono::microseconds(status.st_mtim.tv_nsec / 1000);
  const std::uint64_t data = bytes_of_data(image->descriptor_, image->file_size_);
  if (image->file_size_ > most_memory_of(data)) {
    reason = "a sparse file";
    return nullptr;
  }
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
  std::size_t sections = 0, segments = 0;
  if (elf_getshdrnum(image->elf_, &sections) != 0 || sections > most_sections ||
      elf_getphdrnum(image->elf_, &segments) != 0 || segments > most_sections) {
    reason = "not a plausible ELF file";
    return nullptr;
  }
  image->read_segments();
  image->measure_debug_sections();
  image->build_id_ = read_build_id(image->elf_, image->descriptor_);
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

void elf_image::measure_debug_sections() {
  std::size_t names = 0;
  GElf_Shdr header;
  if (elf_getshdrstrndx(elf_, &names) != 0 ||
      gelf_getshdr(elf_getscn(elf_, names), &header) == nullptr ||
      header.sh_size > most_section_names) {
    has_names_ = false;
    return;
  }
  for (Elf_Scn* s = nullptr; (s = elf_nextscn(elf_, s)) != nullptr;) {
    if (gelf_getshdr(s, &header) == nullptr) continue;
    char const* const text = elf_strptr(elf_, names, header.sh_name);
    if (text == nullptr) continue;
    const std::string_view name = text;
    const bool compressed = is_old_style(name) || (header.sh_flags & SHF_COMPRESSED) != 0;
    if (!compressed && name.find("debug_") == name.npos) continue;
    const std::uint64_t size = uncompressed_size(descriptor_, s, header, is_old_style(name));
    debug_bytes_ = size > ~debug_bytes_ ? ~std::uint64_t{0} : debug_bytes_ + size;
  }
}

bool elf_image::too_large() const noexcept { return debug_bytes_ > most_memory_of(file_size_); }

bool elf_image::executable(std::uint64_t address) const noexcept {
  return std::ranges::any_of(executable_,
                             [&](extent const& e) { return address >= e.low && address < e.high; });
}

bytes_view elf_image::section(std::string_view name) {
  const bool debug = name.starts_with(".debug_");
  std::size_t names = 0;
  if (!has_names_ || (debug && too_large()) || elf_getshdrstrndx(elf_, &names) != 0) return {};
  for (Elf_Scn* s = nullptr; (s = elf_nextscn(elf_, s)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(s, &header) == nullptr) continue;
    char const* const text = elf_strptr(elf_, names, header.sh_name);
    if (text == nullptr) continue;
    const std::string_view is = text;
    const bool old_style =
        is_old_style(is) && name.starts_with('.') && is.substr(2) == name.substr(1);
    if (is != name && !old_style) continue;
    if (header.sh_type == SHT_NOBITS) return {};
    if (old_style || (header.sh_flags & SHF_COMPRESSED) != 0) {
      if (!debug || !uncompress(s, old_style)) return {};
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
  if (id.size() > 64) return {};
  result.build_id = hexadecimal(id);
  return result;
}

std::uint64_t elf_image::symbol_bytes(bool dynamic) const {
  for (Elf_Scn* s = nullptr; (s = elf_nextscn(elf_, s)) != nullptr;) {
    GElf_Shdr header, names{};
    if (gelf_getshdr(s, &header) == nullptr) continue;
    if (header.sh_type != (dynamic ? SHT_DYNSYM : SHT_SYMTAB)) continue;
    if (gelf_getshdr(elf_getscn(elf_, header.sh_link), &names) == nullptr) return 0;
    // A symbol has 24 bytes in the file.
    return std::min(header.sh_size, file_size_) * 6 + std::min(names.sh_size, file_size_);
  }
  return 0;
}

std::vector<elf_image::symbol> elf_image::functions(bool dynamic) {
  std::vector<symbol> result;
  for (Elf_Scn* s = nullptr; (s = elf_nextscn(elf_, s)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(s, &header) == nullptr) continue;
    if (header.sh_type != (dynamic ? SHT_DYNSYM : SHT_SYMTAB) || header.sh_entsize == 0) continue;
    // libelf would look at all names for each, and their lengths are not bounded.
    const bytes_view names = data_of(elf_rawdata(elf_getscn(elf_, header.sh_link), nullptr));
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
      byte_reader r{names, found.st_name};
      r.end_at(std::min<std::uint64_t>(names.size(), found.st_name + longest_symbol));
      const std::string_view name = r.text();
      if (name.empty()) continue;
      result.push_back({found.st_value, found.st_size, name,
                        static_cast<std::uint8_t>(GELF_ST_BIND(found.st_info))});
    }
    break;  // there is one; many could be made of the same bytes
  }
  return result;
}

}  // namespace memprof::symbolize
