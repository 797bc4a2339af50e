// SPDX-License-Identifier: MIT
/// \file
/// The entries (DIEs) of .debug_info, read where they lie: units, abbreviations, attributes.
///
/// DWARF 2 to 5, and dwz's second file. With libdw the resolver takes 1.4 to 2.4 times as long from
/// a cold start: benchmarks/symbolize/libdw.csv.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "symbolize/elf_image.hpp"

namespace memprof::symbolize {

/// What reading may still cost, in bytes looked at. Files that honest tools write are read about
/// once; those that point to the same bytes over and over run out of it.
class work_budget {
 public:
  explicit work_budget(std::uint64_t bytes) noexcept : left_{bytes} {}
  /// False: the budget is used up.
  bool spend(std::uint64_t bytes) noexcept {
    if (bytes > left_) {
      exhaust();
      return false;
    }
    left_ -= bytes;
    return true;
  }
  void exhaust() noexcept {
    left_ = 0;
    exhausted_ = true;
  }
  [[nodiscard]] bool exhausted() const noexcept { return exhausted_; }

 private:
  std::uint64_t left_;
  bool exhausted_ = false;
};

struct dwarf_unit;

///  - `bytes`: of the value, where it is a number of 1, 2, 4 or 8 bytes; 0: read it the long way.
///  - `relative`: a reference that counts from the unit's beginning.
///  - `implicit`: the value, for DW_FORM_implicit_const.
struct dwarf_attribute {
  std::uint16_t name = 0;
  std::uint16_t form = 0;
  std::uint8_t bytes = 0;
  bool relative = false;
  std::int64_t implicit = 0;
};

/// Bytes of a value of this form in the unit; -1 if that depends on the value.
std::int32_t fixed_size(std::uint16_t form, dwarf_unit const& u) noexcept;

///  - `fixed_bytes`: all attributes together; -1: it depends.
struct dwarf_abbreviation {
  std::uint64_t code = 0;
  std::uint32_t tag = 0;
  bool children = false;
  std::int32_t fixed_bytes = -1;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// The abbreviations of a unit, read only as far as needed: of most units that is the
/// first one only.
class dwarf_abbreviations {
 public:
  /// The budget outlives this.
  dwarf_abbreviations(bytes_view section, dwarf_unit const& shape, work_budget& budget);

  [[nodiscard]] dwarf_abbreviation const* find(std::uint64_t code) {
    if (code - 1 < in_order_) return &all_[code - 1];
    return find_slowly(code);
  }
  [[nodiscard]] std::span<dwarf_attribute const> attributes(
      dwarf_abbreviation const& a) const noexcept {
    return {attributes_.data() + a.first, a.count};
  }

 private:
  dwarf_abbreviation const* find_slowly(std::uint64_t code);
  bool read_next();

  work_budget* budget_;
  byte_reader rest_;
  std::uint16_t version_;
  std::uint8_t address_bytes_, offset_bytes_;
  bool complete_ = false;
  std::vector<dwarf_abbreviation> all_;  // the first in_order_ have the codes 1, 2, ..., others are
  std::uint64_t in_order_ = 0;           // sorted when all are read
  std::vector<dwarf_attribute> attributes_;
};

///  - `number`: an address, a constant, or an offset that says where the rest is.
struct dwarf_value {
  std::uint16_t form = 0;
  std::uint64_t number = 0;
  explicit operator bool() const noexcept { return form != 0; }
};

/// What an entry says of its code.
struct dwarf_extent {
  dwarf_value low, high, ranges;
  explicit operator bool() const noexcept { return low || ranges; }
};

///  - `offset`, `first`, `end`: in .debug_info: the header, the first entry, what comes after the
///    unit.
struct dwarf_unit {
  std::uint64_t offset = 0;
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  std::uint64_t abbreviations_at = 0;
  std::uint16_t version = 0;
  std::uint8_t address_bytes = 0;
  std::uint8_t offset_bytes = 0;
  dwarf_abbreviations* abbreviations = nullptr;  // once it was read

  /// Of a unit that is split, and of its other half: the same in both.
  std::uint64_t id = 0;

  // Of the unit's own entry.
  bool known = false;
  std::uint32_t tag = 0;
  std::uint64_t language = 0;
  std::uint64_t low = 0;
  std::uint64_t string_offsets_base = 0;
  std::uint64_t address_base = 0;
  std::uint64_t ranges_base = 0;
  std::uint64_t old_ranges_base = 0;  // in .debug_ranges, of the split half of a unit
  std::optional<std::uint64_t> lines_at;
  std::string_view name;
  std::string_view directory;
  std::string_view split_name;  // the .dwo file of a skeleton
  dwarf_extent extent;
};

/// Where an entry is: dwz moves those that several files share to a file of their own.
class dwarf_file;
struct dwarf_entry {
  dwarf_file* file = nullptr;
  std::uint64_t offset = 0;
};

class dwarf_file {
 public:
  struct section_views {
    bytes_view info, abbreviations, text, line_text, ranges, range_lists, addresses, string_offsets;
  };
  /// `alternative` may be null. Both images and the budget outlive this.
  dwarf_file(elf_image& image, dwarf_file* alternative, work_budget& budget);
  /// The other half of `skeleton`, in sections of a .dwo file; addresses are in `skeletons`.
  dwarf_file(section_views const& split, dwarf_file& skeletons, dwarf_unit const& skeleton,
             work_budget& budget);

  [[nodiscard]] section_views const& sections() const noexcept { return sections_; }
  [[nodiscard]] std::vector<dwarf_unit>& units() noexcept { return units_; }
  /// It was not read to the end: reading the same bytes again and again had no end.
  [[nodiscard]] bool nonsense() const noexcept;
  [[nodiscard]] work_budget& budget() noexcept { return *budget_; }

  /// The unit that holds this offset of .debug_info.
  dwarf_unit* unit_at(std::uint64_t offset) noexcept;
  /// Reads the unit's own entry, once.
  void know(dwarf_unit& u);
  dwarf_abbreviations* abbreviations_of(dwarf_unit& u);

  /// Reads the attribute at `r`; number is meaningless for blocks.
  dwarf_value read(byte_reader& r, dwarf_unit const& u, dwarf_attribute const& a) const noexcept {
    if (a.bytes == 0) return read_slowly(r, u, a);
    const std::uint64_t n = r.sized(a.bytes);
    return {a.form, a.relative ? in_unit(u, n) : n};
  }

  /// Calls f(attribute name, value) for those of the entry at `offset`.
  template <class F>
  bool attributes(std::uint64_t offset, F&& f) {
    return entry(
        offset, [](dwarf_abbreviation const&) {}, f);
  }
  /// The same, and before them g(its abbreviation).
  template <class G, class F>
  bool entry(std::uint64_t offset, G&& g, F&& f) {
    dwarf_unit* const u = unit_at(offset);
    if (u == nullptr) return false;
    know(*u);
    dwarf_abbreviations* const table = abbreviations_of(*u);
    if (table == nullptr) return false;
    byte_reader r{sections_.info, offset};
    r.end_at(u->end);
    dwarf_abbreviation const* const a = table->find(r.uleb());
    if (a == nullptr || !r.good()) return false;
    g(*a);
    for (dwarf_attribute const& one : table->attributes(*a)) {
      const dwarf_value v = read(r, *u, one);
      if (!r.good()) return false;
      f(*u, one.name, v);
    }
    return true;
  }

  /// Calls f(offset, tag) for the entries directly below the one at `offset`, while it is true.
  void children(std::uint64_t offset, std::function<bool(std::uint64_t, std::uint32_t)> const& f);

  [[nodiscard]] std::string_view text(dwarf_unit const& u, dwarf_value v) const noexcept;
  [[nodiscard]] std::optional<std::uint64_t> address(dwarf_unit const& u,
                                                     dwarf_value v) const noexcept;
  /// The entry that a reference means; no file if it means none.
  [[nodiscard]] dwarf_entry referred(dwarf_value v) noexcept;
  /// The value of an address in .debug_addr.
  [[nodiscard]] std::optional<std::uint64_t> indexed_address(dwarf_unit const& u,
                                                             std::uint64_t index) const noexcept;

 private:
  void begin();
  void find_units();
  dwarf_value read_slowly(byte_reader& r, dwarf_unit const& u,
                          dwarf_attribute const& a) const noexcept;
  /// 0, which is no entry, if it is not in the unit.
  static std::uint64_t in_unit(dwarf_unit const& u, std::uint64_t offset) noexcept {
    return offset < u.end - u.offset ? u.offset + offset : 0;
  }

  section_views sections_;
  dwarf_file* alternative_;
  dwarf_unit const* skeleton_ = nullptr;
  work_budget* budget_;
  work_budget abbreviations_budget_{0};
  std::vector<dwarf_unit> units_;
  struct table_key {
    std::uint64_t offset;
    std::uint16_t version;
    std::uint8_t address_bytes, offset_bytes;
    auto operator<=>(table_key const&) const = default;
  };
  std::map<table_key, std::unique_ptr<dwarf_abbreviations>> tables_;
};

}  // namespace memprof::symbolize
