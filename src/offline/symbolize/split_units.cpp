// SPDX-License-Identifier: MIT
#include "symbolize/split_units.hpp"

#include <algorithm>
#include <dwarf.h>

namespace memprof::symbolize {
namespace {

dwarf_file::section_views sections_of(elf_image& image) {
  dwarf_file::section_views s;
  s.info = image.section(".debug_info.dwo");
  s.abbreviations = image.section(".debug_abbrev.dwo");
  s.text = image.section(".debug_str.dwo");
  s.range_lists = image.section(".debug_rnglists.dwo");
  s.string_offsets = image.section(".debug_str_offsets.dwo");
  return s;
}

bytes_view part_of(bytes_view section, std::uint64_t offset, std::uint64_t size) {
  if (offset > section.size() || size > section.size() - offset) return {};
  return section.subspan(offset, size);
}

/// A package's sections, as far as they are of the unit with this id; by .debug_cu_index (DWARF 5,
/// 7.3.5; of version 2 before that):
///
///     version, columns, units, slots                       4 bytes each
///     ids of units                                         8 bytes for each slot of a hash table
///     rows of units, from 1                                4 bytes for each slot
///     which sections the columns mean                      4 bytes for each column
///     offsets, a row for each unit; sizes, likewise        4 bytes for each column
std::optional<dwarf_file::section_views> sections_of(elf_image& package, std::uint64_t id) {
  constexpr std::uint64_t header = 16;
  const bytes_view index = package.section(".debug_cu_index");
  byte_reader r{index};
  const std::uint32_t version = r.u32() & 0xFFFF;
  const std::uint64_t columns = r.u32();
  const std::uint64_t units = r.u32();
  const std::uint64_t slots = r.u32();
  if (!r.good() || (version != 2 && version != 5)) return std::nullopt;
  if (columns > 16 || units > index.size() || slots > index.size() / 12) return std::nullopt;
  std::uint64_t row = 0;
  for (std::uint64_t i = 0; i < slots && row == 0; ++i) {
    if (r.u64() == id) {
      byte_reader rows{index, header + 8 * slots + 4 * i};
      row = rows.u32();
    }
  }
  if (row == 0 || row > units) return std::nullopt;
  const std::uint64_t table = header + 12 * slots;
  byte_reader kinds{index, table};
  byte_reader offsets{index, table + 4 * columns * row};
  byte_reader sizes{index, table + 4 * columns * (units + row)};
  dwarf_file::section_views s = sections_of(package);
  for (std::uint64_t i = 0; i < columns; ++i) {
    const std::uint32_t kind = kinds.u32();
    const std::uint64_t offset = offsets.u32();
    const std::uint64_t size = sizes.u32();
    const auto cut = [&](bytes_view& section) { section = part_of(section, offset, size); };
    if (kind == DW_SECT_INFO) cut(s.info);
    if (kind == DW_SECT_ABBREV) cut(s.abbreviations);
    if (kind == DW_SECT_STR_OFFSETS) cut(s.string_offsets);
    if (kind == DW_SECT_RNGLISTS && version == 5) cut(s.range_lists);
  }
  return sizes.good() ? std::optional{s} : std::nullopt;
}

}  // namespace

split_units::unit split_units::open(dwarf_file::section_views const& sections,
                                    dwarf_file& skeletons, dwarf_unit const& skeleton, part& to) {
  to.budget = std::make_unique<work_budget>(
      (1 << 20) + 4 * (sections.info.size() + sections.abbreviations.size() +
                       sections.range_lists.size() + skeletons.sections().ranges.size()));
  to.file = std::make_unique<dwarf_file>(sections, skeletons, skeleton, *to.budget);
  for (dwarf_unit& u : to.file->units()) {
    to.file->know(u);
    if (u.id == skeleton.id && u.tag == DW_TAG_compile_unit) return {to.file.get(), &u};
  }
  return {};
}

split_units::unit split_units::of(dwarf_file& skeletons, dwarf_unit const& skeleton) {
  part p;
  if (!looked_for_package_) {
    looked_for_package_ = true;
    std::string reason;
    package_ = elf_image::open(module_.native() + ".dwp", reason);
    if (package_ != nullptr && !memory_->take(package_->debug_bytes())) package_.reset();
  }
  unit found;
  if (package_ != nullptr) {
    if (const auto sections = sections_of(*package_, skeleton.id)) {
      found = open(*sections, skeletons, skeleton, p);
    }
  }
  for (std::filesystem::path const& file :
       files_->split_candidates(module_, skeleton.directory, skeleton.split_name)) {
    if (found.unit != nullptr) break;
    std::string reason;
    p.image = elf_image::open(file, reason);
    if (p.image == nullptr || !memory_->take(p.image->debug_bytes())) continue;
    found = open(sections_of(*p.image), skeletons, skeleton, p);
  }
  if (found.unit == nullptr) {
    if (missing_.empty()) missing_ = skeleton.split_name;
    return {};
  }
  parts_.push_back(std::move(p));
  return found;
}

bool split_units::nonsense() const noexcept {
  return std::ranges::any_of(parts_, [](part const& p) { return p.file->nonsense(); });
}

}  // namespace memprof::symbolize
