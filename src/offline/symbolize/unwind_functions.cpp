// SPDX-License-Identifier: MIT
#include "symbolize/unwind_functions.hpp"

#include <algorithm>
#include <gelf.h>

#include "symbolize/byte_reader.hpp"

namespace memprof::symbolize {
namespace {

// Linux Standard Base, "The .eh_frame_hdr section": how its parts are written.
constexpr std::uint8_t udata4 = 0x03, sdata4_from_section = 0x3b, sdata4_from_here = 0x1b;

std::optional<std::uint64_t> address_of_table(Elf* elf) {
  std::size_t count = 0;
  if (::elf_getphdrnum(elf, &count) != 0) return std::nullopt;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (::gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr) continue;
    if (header.p_type == PT_GNU_EH_FRAME) return header.p_vaddr;
  }
  return std::nullopt;
}

}  // namespace

unwind_functions::unwind_functions(elf_image& image) {
  const std::optional<std::uint64_t> base = address_of_table(image.handle());
  byte_reader r{image.section(".eh_frame_hdr")};
  const std::uint8_t version = r.u8(), of_frames = r.u8(), of_count = r.u8(), of_table = r.u8();
  if (!base || version != 1 || of_frames != sdata4_from_here || of_count != udata4 ||
      of_table != sdata4_from_section) {
    return;
  }
  r.skip(4);
  const std::uint64_t entries = std::min<std::uint64_t>(r.u32(), r.left() / 8);
  begins_.reserve(entries);
  for (std::uint64_t i = 0; i < entries && r.good(); ++i) {
    const auto distance = static_cast<std::int32_t>(r.u32());
    begins_.push_back(*base + static_cast<std::uint64_t>(std::int64_t{distance}));
    r.skip(4);
  }
  std::sort(begins_.begin(), begins_.end());
}

std::optional<std::uint64_t> unwind_functions::begin(std::uint64_t address) const noexcept {
  const auto after = std::upper_bound(begins_.begin(), begins_.end(), address);
  if (after == begins_.begin()) return std::nullopt;
  return *(after - 1);
}

}  // namespace memprof::symbolize
