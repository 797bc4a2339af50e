// SPDX-License-Identifier: MIT
#include "symbolize/function_names.hpp"

#include <algorithm>
#include <dwarf.h>
#include <fmt/format.h>

#include "symbolize/dwarf_types.hpp"
#include "symbolize/short_name.hpp"

namespace memprof::symbolize {
namespace {

/// An instance of an instance of ... ends after two or three.
constexpr int longest_chain = 16;
/// Functions in classes in functions, and types of parameters of those.
constexpr int deepest_name = 32;
constexpr std::size_t longest_scope = 1 << 13;

bool is_cplusplus(std::uint64_t language) noexcept {
  return language == DW_LANG_C_plus_plus || language == DW_LANG_C_plus_plus_03 ||
         language == DW_LANG_C_plus_plus_11 || language == DW_LANG_C_plus_plus_14;
}

/// Follows an entry to the declaration it is an instance of.
function_name name_of(dwarf_entry e) {
  function_name name;
  for (int i = 0; i < longest_chain && e.file != nullptr && e.offset != 0; ++i) {
    dwarf_file& file = *e.file;
    dwarf_entry next;
    file.attributes(e.offset, [&](dwarf_unit const& u, std::uint16_t attribute, dwarf_value v) {
      switch (attribute) {
        case DW_AT_linkage_name:
        case DW_AT_MIPS_linkage_name:
          if (name.linker.empty()) name.linker = file.text(u, v);
          break;
        case DW_AT_name:
          if (name.plain.empty()) name.plain = file.text(u, v);
          break;
        case DW_AT_abstract_origin:
        case DW_AT_specification:
          next = file.referred(v);
          break;
        default:
          break;
      }
    });
    // The last of them is the declaration, which stands in its namespace or class.
    if (!name.plain.empty()) name.named_at = e;
    if (!name.linker.empty()) break;
    e = next;
  }
  return name;
}

/// "f(int)::{lambda(char)#2}" of "f(int)::{lambda(char)#2}::operator()(char) const"; or empty.
std::string closure_of(std::string_view demangled) {
  for (std::string_view call : {"}::operator()", "}::_FUN("}) {
    const std::size_t end = demangled.rfind(call);
    if (end == std::string_view::npos) continue;
    const std::size_t from = demangled.rfind("::{lambda(", end);
    if (from != std::string_view::npos) return std::string{demangled.substr(0, end + 1)};
  }
  return {};
}

/// The 2 of "f(int)::{lambda(char)#2}".
std::size_t number_of(std::string_view closure) {
  std::size_t number = 0;
  const std::size_t at = closure.rfind('#');
  for (char c : closure.substr(at == std::string_view::npos ? closure.size() : at + 1)) {
    if (c < '0' || c > '9' || number > 1'000'000) break;
    number = 10 * number + static_cast<std::size_t>(c - '0');
  }
  return number;
}

}  // namespace

function_names::unit_names* function_names::unit_of(dwarf_entry e) {
  if (e.file == nullptr) return nullptr;
  dwarf_unit* const u = e.file->unit_at(e.offset);
  if (u == nullptr) return nullptr;
  e.file->know(*u);
  if (!is_cplusplus(u->language)) return nullptr;
  std::unique_ptr<unit_names>& names = units_[{e.file, u}];
  if (names == nullptr) {
    names = std::make_unique<unit_names>(dwarf_scopes{*e.file, *u});
    read_symbols(*names, *e.file, *u);
  }
  return names.get();
}

void function_names::read_symbols(unit_names& names, dwarf_file& file, dwarf_unit const& u) {
  for (auto const& [entry, text] : symbols_(u)) {
    if (!text.starts_with("_Z")) continue;
    const function_name name = name_of(entry);
    if (!name.linker.empty() || name.named_at.file != &file) continue;
    names.symbols.try_emplace(name.named_at.offset, text);
    const std::uint32_t scope = names.scopes.around(name.named_at.offset);
    if (scope == dwarf_scopes::none || !names.scopes[scope].closure()) continue;
    std::string closure = closure_of(demangle(text));
    if (!closure.empty()) names.closures.try_emplace(scope, std::move(closure));
  }
}

std::string const& function_names::closure_name(unit_names& names, dwarf_file& file,
                                                std::uint32_t scope) {
  const std::uint32_t outer = names.scopes[scope].outer;
  if (std::ranges::find(names.numbered, outer) == names.numbered.end()) {
    names.numbered.push_back(outer);
    const std::vector<std::uint32_t> all = names.scopes.closures_in(outer);
    // Compilers leave lambdas without code out, so counting gives too small a number at most. No
    // two get the same.
    std::vector<std::size_t> taken;
    for (std::uint32_t i : all) {
      if (const auto at = names.closures.find(i); at != names.closures.end()) {
        taken.push_back(number_of(at->second));
      }
    }
    const std::string around = enclosing(names, file, outer);
    std::size_t last = 0;
    for (std::uint32_t i : all) {
      if (const auto at = names.closures.find(i); at != names.closures.end()) {
        last = std::max(last, number_of(at->second));
        continue;
      }
      do ++last;
      while (std::ranges::find(taken, last) != taken.end());
      const std::string parameters = parameter_types(
          {&file, names.scopes[i].call}, [this](dwarf_entry e) { return class_name(e); });
      names.closures[i] = fmt::format("{}{{lambda({})#{}}}", around, parameters, last);
    }
  }
  return names.closures[scope];
}

std::string function_names::scope_name(unit_names& names, dwarf_file& file, std::uint32_t scope) {
  dwarf_scopes::scope const& s = names.scopes[scope];
  if (s.is == dwarf_scopes::kind::function) {
    function_name const& name = of({&file, s.begin});
    if (name.linker.empty()) return std::string{name.plain};
    const std::string text = demangle(name.linker);
    return text.substr(0, text.find(" [clone "));
  }
  if (s.closure()) return closure_name(names, file, scope);
  std::string_view own = s.name;
  if (own.empty()) own = s.is == dwarf_scopes::kind::space ? "(anonymous namespace)" : "{unnamed}";
  return enclosing(names, file, s.outer).append(own);
}

/// "ns::f(int)::box<int>::", or empty.
std::string function_names::enclosing(unit_names& names, dwarf_file& file, std::uint32_t scope) {
  if (scope == dwarf_scopes::none || depth_ > deepest_name) return {};
  ++depth_;
  std::string text = scope_name(names, file, scope);
  --depth_;
  return text.empty() || text.size() > longest_scope ? std::string{} : text.append("::");
}

std::string function_names::class_name(dwarf_entry e) {
  unit_names* const names = unit_of(e);
  if (names == nullptr || depth_ > deepest_name) return "{type}";
  if (const std::uint32_t scope = names->scopes.at(e.offset); scope != dwarf_scopes::none) {
    ++depth_;
    std::string text = scope_name(*names, *e.file, scope);
    --depth_;
    return text.size() > longest_scope ? "{type}" : text;
  }
  // An enumeration, or a class that is declared only.
  std::string_view own;
  e.file->attributes(e.offset, [&](dwarf_unit const& u, std::uint16_t attribute, dwarf_value v) {
    if (attribute == DW_AT_name) own = e.file->text(u, v);
  });
  return enclosing(*names, *e.file, names->scopes.around(e.offset))
      .append(own.empty() ? "{unnamed}" : own);
}

std::string function_names::qualified(unit_names& names, function_name const& name) {
  dwarf_file& file = *name.named_at.file;
  const std::uint64_t offset = name.named_at.offset;
  const std::uint32_t scope = names.scopes.around(offset);
  if (const std::size_t n = names.scopes.classless_call(offset); n != 0) {
    const std::string_view unit = file.unit_at(offset)->name;
    return fmt::format("{{lambda#{} in {}}}::{}", n, unit.substr(unit.rfind('/') + 1), name.plain);
  }
  std::string text = enclosing(names, file, scope);
  // g++ calls all lambdas of a function alike here, too: "call<parse(int)::<lambda(char)> >".
  const std::size_t arguments = name.plain.find('<');
  if (name.plain.find("<lambda(") != std::string_view::npos && arguments != 0) {
    if (const auto types =
            template_types(name.named_at, [this](dwarf_entry e) { return class_name(e); })) {
      return text.append(name.plain.substr(0, arguments)).append("<").append(*types).append(">");
    }
  }
  return text.append(name.plain);
}

function_name const& function_names::of(dwarf_entry e) {
  const auto [at, fresh] = known_.try_emplace({e.file, e.offset});
  function_name& name = at->second;
  if (!fresh) return name;
  name = name_of(e);
  if (!name.linker.empty()) return name;
  unit_names* const names = unit_of(name.named_at);
  if (names == nullptr) return name;
  if (const auto known = names->symbols.find(name.named_at.offset); known != names->symbols.end()) {
    name.linker = known->second;
    return name;
  }
  name.plain = texts_.try_emplace({e.file, e.offset}, qualified(*names, name)).first->second;
  return name;
}

}  // namespace memprof::symbolize
