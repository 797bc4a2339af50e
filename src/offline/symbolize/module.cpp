// SPDX-License-Identifier: MIT
#include "symbolize/module.hpp"

#include <algorithm>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fmt/format.h>
#include <utility>

namespace memprof::symbolize {
namespace {

/// No real code has more calls than this inlined into each other.
constexpr std::size_t most_frames = 200;

}  // namespace

module::module(std::unique_ptr<elf_image> image, debug_files const& files,
               memory_budget& memory) :image_{std::move(image)},
    files_{&files}, memory_{&memory} {
  if (!affordable(*image_)) return;
  elf_image* debug = image_.get();
  if (image_->section(".debug_info").empty()) {
    debug_ = files.of(*image_);
    if (debug_ == nullptr || !affordable(*debug_)) return;
    debug = debug_.get();
  }
  alternative_image_ = files.alternative_of(*debug);
  if (alternative_image_ != nullptr && !affordable(*alternative_image_)) alternative_image_.reset();
  open_debug_information();
}

void module::leave_out(std::string what) {
  if (left_out_.empty()) left_out_ = std::move(what);
}

bool module::affordable(elf_image const& debug) {
  const auto mebibytes = [](std::uint64_t bytes) { return bytes >> 20; };
  if (debug.too_large()) {
    leave_out(
        fmt::format("its debug information would take {} MiB, and is not read: a file of {} "
                    "MiB may have {}",
                    mebibytes(debug.debug_bytes()), mebibytes(debug.file_size()),
                    mebibytes(most_memory_of(debug.file_size()))));
    return false;
  }
  if (memory_->take(debug.debug_bytes())) return true;
  leave_out(
      fmt::format("its debug information of {} MiB is not read: that of all modules would "
                  "take more than half of the machine's memory, or 8 GiB",
                  mebibytes(debug.debug_bytes())));
  return false;
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
  lines_ = open_dwarf(debug);
  if (alternative_image_ != nullptr && lines_ != nullptr) {
    alternative_lines_ = open_dwarf(*alternative_image_);
    dwarf_setalt(lines_.get(), alternative_lines_.get());
  }
  tables_.emplace(debug.section(".debug_line"), most_memory_of(debug.file_size()), *memory_);
  dwarf_file::section_views const& s = dwarf_->sections();
  if (!budget_->exhausted()) {
    *budget_ = work_budget{floor + 4 * (s.info.size() + s.ranges.size() + s.range_lists.size() +
                                        s.abbreviations.size())};
  }
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

/// Null: they are not known.
Dwarf* module::lines_of(dwarf_unit const& u) {
  if (!u.lines_at) return nullptr;
  if (tables_->may_read(*u.lines_at)) return lines_.get();
  leave_out(fmt::format("its line tables would take more than {} MiB: functions without lines",
                        most_memory_of((debug_ ? debug_ : image_)->file_size()) >> 20));
  return nullptr;
}

module::unit_index* module::unit_of(std::uint64_t address) {
  if (dwarf_ == nullptr) return nullptr;
  const std::optional<std::uint32_t> number = units_.find(address);
  if (!number) return nullptr;
  std::unique_ptr<unit_index>& index = indexes_[*number];
  if (index == nullptr) {
    dwarf_unit& u = dwarf_->units()[*number];
    split_units::unit half{dwarf_.get(), &u};
    if (!u.split_name.empty()) {
      if (!split_) split_.emplace(image_->path(), *files_, *memory_);
      half = split_->of(*dwarf_, u);
    }
    index = std::make_unique<unit_index>(lines_of(u), u, half, *image_);
  }
  return index.get();
}

symbol_table const& module::symbols() {
  if (!symbols_) {
    std::vector<elf_image::symbol> all;
    const auto look_in = [&](elf_image* image, bool dynamic) {
      if (image == nullptr || !all.empty()) return;
      if (memory_->take(image->symbol_bytes(dynamic))) {
        all = image->functions(dynamic);
      } else {
        leave_out("there is no memory for its symbols");
      }
    };
    look_in(debug_.get(), false);
    look_in(image_.get(), false);
    look_in(image_.get(), true);
    symbols_.emplace(std::move(all));
  }
  return *symbols_;
}

std::vector<function_names::symbol> module::symbols_in(dwarf_unit const& u) {
  std::vector<function_names::symbol> found;
  for (auto const& [number, index] : indexes_) {
    if (index == nullptr || index->half.unit != &u) continue;
    for (dwarf_functions::function const& f : index->functions->all()) {
      if (f.outer != dwarf_functions::none) continue;
      found.emplace_back(dwarf_entry{index->half.file, f.offset}, symbols().find(f.low));
    }
  }
  return found;
}

void module::find(std::uint64_t address, std::vector<frame>& frames) {
  frames.clear();
  unit_index* const u = unit_of(address);
  frame now;
  // Without the split half it is unknown whether a line belongs to an inlined function.
  if (u != nullptr && u->functions) {
    if (const std::optional<line_position> p = u->lines.find(address)) {
      now.file = p->file;
      now.line = p->line;
      now.column = p->column;
    }
    for (dwarf_functions::function const* f = u->functions->find(address);
         f != nullptr && frames.size() < most_frames; f = u->functions->outer(*f)) {
      now.name = names_.of({u->half.file, f->offset});
      frames.push_back(now);
      now = {{}, u->lines.file_name(f->call_file), f->call_line, f->call_column};
    }
  }
  if (frames.empty()) {
    now.name.linker = symbols().find(address);
    if (now.name.linker.empty() && now.line == 0) return;
    frames.push_back(now);
  } else if (function_name& outermost = frames.back().name;
             outermost.linker.empty() && outermost.plain.empty()) {
    outermost.linker = symbols().find(address);
  }
  for (frame& f : frames) {
    if (f.file.empty()) f.line = f.column = 0;
  }
}

std::optional<std::uint64_t> module::function_at(std::uint64_t address) {
  if (!image_->executable(address)) return std::nullopt;
  if (!unwind_) unwind_.emplace(*image_);
  return unwind_->begin(address);
}

}  // namespace memprof::symbolize
