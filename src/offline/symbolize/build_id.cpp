// SPDX-License-Identifier: MIT
#include "symbolize/build_id.hpp"

#include <cstdint>
#include <gelf.h>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "symbolize/byte_reader.hpp"

namespace memprof::symbolize {
namespace {

constexpr std::uint64_t largest_notes = 1 << 16;
constexpr int most_notes = 64;

/// Of the notes in these bytes.
///
/// \param alignment 4 or 8, of name and contents.
std::string id_in(bytes_view notes, std::uint64_t alignment) {
  byte_reader r{notes};
  const auto align = [&] { r.seek((r.position() + alignment - 1) / alignment * alignment); };
  while (r.good() && r.left() >= 12) {
    const std::uint32_t name_bytes = r.u32(), bytes = r.u32(), type = r.u32();
    const std::uint64_t name_at = r.position();
    r.skip(name_bytes);
    align();
    const std::uint64_t at = r.position();
    r.skip(bytes);
    if (!r.good()) break;
    const bool gnu = name_bytes == 4 && notes[name_at] == 'G' && notes[name_at + 1] == 'N' &&
                     notes[name_at + 2] == 'U' && notes[name_at + 3] == 0;
    if (gnu && type == NT_GNU_BUILD_ID && bytes > 0 && bytes <= 64) {
      return hexadecimal(notes.subspan(at, bytes));
    }
    align();
  }
  return {};
}

std::string id_at(int descriptor, std::uint64_t offset, std::uint64_t bytes,
                  std::uint64_t alignment) {
  if (bytes > largest_notes || offset > static_cast<std::uint64_t>(INT64_MAX)) return {};
  std::vector<std::uint8_t> notes(bytes);
  const ssize_t n = ::pread(descriptor, notes.data(), bytes, static_cast<off_t>(offset));
  if (n <= 0) return {};
  return id_in(bytes_view{notes}.first(static_cast<std::size_t>(n)), alignment == 8 ? 8 : 4);
}

}  // namespace

std::string hexadecimal(bytes_view bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t b : bytes) {
    text += digits[b >> 4];
    text += digits[b & 15];
  }
  return text;
}

std::string read_build_id(Elf* elf, int descriptor) {
  int read = 0;
  // Of a debug file the sections are right, and the segments are those of the module.
  for (Elf_Scn* s = nullptr; (s = ::elf_nextscn(elf, s)) != nullptr;) {
    GElf_Shdr header;
    if (::gelf_getshdr(s, &header) == nullptr || header.sh_type != SHT_NOTE) continue;
    if (++read > most_notes) break;
    const std::string id = id_at(descriptor, header.sh_offset, header.sh_size, header.sh_addralign);
    if (!id.empty()) return id;
  }
  std::size_t segments = 0;
  if (::elf_getphdrnum(elf, &segments) != 0) return {};
  for (std::size_t i = 0; i < segments && read <= most_notes; ++i) {
    GElf_Phdr header;
    if (::gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr) break;
    if (header.p_type != PT_NOTE) continue;
    ++read;
    const std::string id = id_at(descriptor, header.p_offset, header.p_filesz, header.p_align);
    if (!id.empty()) return id;
  }
  return {};
}

}  // namespace memprof::symbolize
