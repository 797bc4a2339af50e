// SPDX-License-Identifier: MIT
#include "symbolize/module.hpp"

#include <algorithm>
#include <dwarf.h>

namespace memprof::symbolize {
namespace {

/// More calls than this, inlined into each other, are no one's code.
constexpr std::size_t most_frames = 200;

bool is_cplusplus(std::uint64_t language) noexcept {
  switch (language) {
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
      return true;
    default:
      return false;
  }
}

}  // namespace

module::module(std::unique_ptr<elf_image> image,
               debug_files const& files) :image_{std::move(image)} {
  elf_image* debug = image_.get();
  if (image_->section(".debug_info").empty()) {
    debug_ = files.of(*image_);
    if (debug_ == nullptr) return;
    debug = debug_.get();
  }
  alternative_image_ = files.alternative_of(*debug);
  open_debug_information();
}

void module::open_debug_information() {
  elf_image& debug = debug_ != nullptr ? *debug_ : *image_;
  // Each byte is read about once, so four times all of them is generous.
  constexpr std::uint64_t floor = 1 << 20;
  budget_.emplace(floor);
  if (alternative_image_ != nullptr) {
    alternative_ = std::make_unique<dwarf_file>(*alternative_image_, nullptr, *budget_);
  }
  dwarf_ = std::make_unique<dwarf_file>(debug, alternative_.get(), *budget_);
  dwarf_file::section_views const& s = dwarf_->sections();
  *budget_ = work_budget{floor + 4 * (s.info.size() + s.lines.size() + s.ranges.size() +
                                      s.range_lists.size() + s.abbreviations.size())};
  index_units();
}

void module::index_units() {
  std::vector<address_range> ranges;
  std::vector<dwarf_unit>& all = dwarf_->units();
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    dwarf_unit& u = all[i];
    dwarf_->know(u);
    if (u.tag == DW_TAG_partial_unit || !u.extent) continue;
    read_ranges(*dwarf_, u, u.extent, ranges);
    for (address_range const& r : ranges) {
      if (image_->executable(r.low)) units_.add(r.low, r.high, i);
    }
  }
  units_.finish();
}

module::unit_index* module::unit_of(std::uint64_t address) {
  if (dwarf_ == nullptr) return nullptr;
  const std::optional<std::uint32_t> number = units_.find(address);
  if (!number) return nullptr;
  std::unique_ptr<unit_index>& index = indexes_[*number];
  if (index == nullptr) {
    index = std::make_unique<unit_index>(*dwarf_, dwarf_->units()[*number], *image_);
  }
  return index.get();
}

symbol_table const& module::symbols() {
  if (!symbols_) {
    std::vector<elf_image::symbol> all;
    if (debug_ != nullptr) all = debug_->functions(false);
    if (all.empty()) all = image_->functions(false);
    if (all.empty()) all = image_->functions(true);
    symbols_.emplace(std::move(all));
  }
  return *symbols_;
}

std::string_view module::file_name(unit_index& u, std::uint32_t number) {
  const auto [at, fresh] = u.files.try_emplace(number);
  if (fresh) at->second = u.lines.file_name(number);
  return at->second;
}

function_name const& module::name_at(std::uint64_t offset) {
  const auto [at, fresh] = names_.try_emplace(offset);
  function_name& name = at->second;
  if (!fresh) return name;
  name = name_of({dwarf_.get(), offset});
  if (!name.linker.empty() || name.named_at.file == nullptr) return name;
  dwarf_file& file = *name.named_at.file;
  dwarf_unit* const u = file.unit_at(name.named_at.offset);
  if (u == nullptr) return name;
  file.know(*u);
  if (!is_cplusplus(u->language)) return name;
  std::unique_ptr<dwarf_scopes>& scopes = scopes_[u];
  if (scopes == nullptr) scopes = std::make_unique<dwarf_scopes>(file, *u);
  const auto text =
      qualified_.emplace(offset, scopes->around(name.named_at.offset) + std::string{name.plain});
  name.plain = text.first->second;
  return name;
}

void module::find(std::uint64_t address, std::vector<frame>& frames) {
  frames.clear();
  unit_index* const u = unit_of(address);
  frame now;
  if (u != nullptr) {
    if (const std::optional<line_position> p = u->lines.find(address)) {
      now.file = file_name(*u, p->file);
      now.line = p->line;
      now.column = p->column;
    }
    for (dwarf_functions::function const* f = u->functions.find(address);
         f != nullptr && frames.size() < most_frames; f = u->functions.outer(*f)) {
      now.name = name_at(f->offset);
      frames.push_back(now);
      now = {{}, file_name(*u, f->call_file), f->call_line, f->call_column};
    }
  }
  if (frames.empty()) {
    now.name.linker = symbols().find(address);
    if (now.name.linker.empty() && now.line == 0) return;
    frames.push_back(now);
  } else if (function_name& outermost = frames.back().name;
             outermost.linker.empty() && is_cplusplus(u->unit->language)) {
    // Compilers leave the linker's name out of local and nameless things.
    const std::string_view symbol = symbols().find(address);
    if (symbol.starts_with("_Z") || outermost.plain.empty()) outermost.linker = symbol;
  }
  for (frame& f : frames) {
    if (f.file.empty()) f.line = f.column = 0;
  }
}

}  // namespace memprof::symbolize
