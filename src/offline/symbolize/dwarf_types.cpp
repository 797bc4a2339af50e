// SPDX-License-Identifier: MIT
#include "symbolize/dwarf_types.hpp"

#include <dwarf.h>
#include <vector>

namespace memprof::symbolize {
namespace {

constexpr int deepest_type = 40;
constexpr std::size_t most_parameters = 64;

/// The attributes that matter of an entry of a type, a parameter or a template parameter.
struct type_entry {
  std::uint32_t tag = 0;
  bool children = false;
  bool artificial = false;
  std::string_view name;
  dwarf_entry type;
};

type_entry read_type(dwarf_entry e) {
  type_entry t;
  if (e.file == nullptr) return t;
  e.file->entry(
      e.offset,
      [&](dwarf_abbreviation const& a) {
        t.tag = a.tag;
        t.children = a.children;
      },
      [&](dwarf_unit const& u, std::uint16_t attribute, dwarf_value v) {
        if (attribute == DW_AT_name) t.name = e.file->text(u, v);
        if (attribute == DW_AT_type) t.type = e.file->referred(v);
        if (attribute == DW_AT_artificial) t.artificial = true;
      });
  return t;
}

/// The C++ name of what compilers call "long unsigned int".
std::string_view plain_name(std::string_view spelling) {
  static constexpr std::pair<std::string_view, std::string_view> names[] = {
      {"long int", "long"},           {"long unsigned int", "unsigned long"},
      {"short int", "short"},         {"short unsigned int", "unsigned short"},
      {"long long int", "long long"}, {"long long unsigned int", "unsigned long long"},
  };
  for (auto const& [from, to] : names) {
    if (spelling == from) return to;
  }
  return spelling;
}

class type_writer {
 public:
  explicit type_writer(class_namer const& class_name) : class_name_{class_name} {}

  std::string parameters(dwarf_entry function, int depth) {
    std::string list;
    std::size_t n = 0;
    function.file->children(function.offset, [&](std::uint64_t offset, std::uint32_t tag) {
      if (tag == DW_TAG_template_type_parameter && depth == 0) {
        generic_.push_back(read_type({function.file, offset}).type);
      }
      if (tag != DW_TAG_formal_parameter && tag != DW_TAG_unspecified_parameters) return true;
      const type_entry p = read_type({function.file, offset});
      if (p.artificial) return true;
      if (!list.empty()) list += ", ";
      list += tag == DW_TAG_formal_parameter ? text(p.type, {}, depth + 1) : "...";
      return ++n < most_parameters;
    });
    return list;
  }

  std::optional<std::string> template_arguments(dwarf_entry e) {
    std::string list;
    bool types_only = true;
    std::size_t n = 0;
    e.file->children(e.offset, [&](std::uint64_t offset, std::uint32_t tag) {
      if (tag == DW_TAG_template_type_parameter) {
        if (!list.empty()) list += ", ";
        list += text(read_type({e.file, offset}).type, {}, 1);
      } else if (tag == DW_TAG_template_value_parameter ||
                 tag == DW_TAG_GNU_template_parameter_pack ||
                 tag == DW_TAG_GNU_template_template_param) {
        types_only = false;
      }
      return types_only && ++n < most_parameters;
    });
    return types_only && !list.empty() ? std::optional{list} : std::nullopt;
  }

 private:
  /// `declarator` comes after the type: "*", " const&", or in brackets if the type has an end.
  std::string text(dwarf_entry e, std::string const& declarator, int depth) {
    for (std::size_t i = 0; i < generic_.size(); ++i) {
      if (e.file == nullptr || generic_[i].file != e.file || generic_[i].offset != e.offset)
        continue;
      return "auto:" + std::to_string(i + 1) + declarator;
    }
    if (e.file == nullptr || depth > deepest_type) return "void" + declarator;
    const type_entry t = read_type(e);
    const auto of_target = [&](std::string const& more) {
      return text(t.type, more + declarator, depth + 1);
    };
    switch (t.tag) {
      case DW_TAG_pointer_type:
        return of_target("*");
      case DW_TAG_reference_type:
        return of_target("&");
      case DW_TAG_rvalue_reference_type:
        return of_target("&&");
      case DW_TAG_const_type:
        return of_target(" const");
      case DW_TAG_volatile_type:
        return of_target(" volatile");
      case DW_TAG_restrict_type:
      case DW_TAG_typedef:
        return of_target({});
      case DW_TAG_array_type:
        return text(t.type, declarator.empty() ? " []" : " (" + declarator + ") []", depth + 1);
      case DW_TAG_subroutine_type:
        return text(t.type, " (" + declarator + ")(" + parameters(e, depth + 1) + ")", depth + 1);
      case DW_TAG_class_type:
      case DW_TAG_structure_type:
      case DW_TAG_union_type:
      case DW_TAG_enumeration_type:
        return class_name_(e) + declarator;
      default:
        return std::string{t.name.empty() ? "{type}" : plain_name(t.name)} + declarator;
    }
  }

  class_namer const& class_name_;
  std::vector<dwarf_entry> generic_;
};

}  // namespace

std::string parameter_types(dwarf_entry function, class_namer const& class_name) {
  return type_writer{class_name}.parameters(function, 0);
}

std::optional<std::string> template_types(dwarf_entry e, class_namer const& class_name) {
  return type_writer{class_name}.template_arguments(e);
}

}  // namespace memprof::symbolize
