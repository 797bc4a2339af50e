// SPDX-License-Identifier: MIT
#include "modules/code_location.hpp"

#include <algorithm>
#include <elf.h>
#include <string_view>

#include "modules/elf_file.hpp"
#include "modules/find_module.hpp"
#include "modules/function_table.hpp"
#include "modules/words.hpp"

namespace memprof::modules {
namespace {

/// The function that holds `address` (as in the file), and how far into it that is. Empty: unknown.
struct found_function {
  std::string name;
  std::uintptr_t offset = 0;
};

found_function find_function(function_table const& table, std::uintptr_t address) {
  const function_table::place found = table.function_at(address);
  if (found.name == nullptr) return {};
  return {found.name, found.offset};
}

found_function find_function(char const* path, loaded_image const& image, std::uintptr_t address) {
  const elf_file file{path};
  if (!file.is_open() || !file.is_file_of(image)) return {};
  found_function found = find_function(function_table{file, SHT_SYMTAB}, address);
  if (found.name.empty()) found = find_function({file, SHT_DYNSYM}, address);
  return found;
}

/// libc.so.6, ld-linux-x86-64.so.2, libstdc++.so.6, libc++.so.1, libc++abi.so.1
bool is_library(std::string_view path) noexcept {
  path.remove_prefix(path.rfind('/') + 1);  // npos + 1 is 0
  for (const std::string_view name :
       {"libc.so.", "ld-linux", "libstdc++.so.", "libc++.so.", "libc++abi.so."}) {
    if (path.starts_with(name)) return true;
  }
  return false;
}

/// A function of namespace std or __gnu_cxx, by its mangled name. (An instance of std::sort for a
/// type of the program is one, too.)
bool is_of_std(std::string_view mangled) noexcept {
  if (!mangled.starts_with("_Z")) return false;
  mangled.remove_prefix(2);
  if (mangled.starts_with('N')) {
    mangled.remove_prefix(1);
    mangled.remove_prefix(std::min(mangled.find_first_not_of("rVKRO"), mangled.size()));
  }
  for (const std::string_view name : {"St", "Sa", "Sb", "Ss", "Si", "So", "Sd", "9__gnu_cxx"}) {
    if (mangled.starts_with(name)) return true;
  }
  return false;
}

}  // namespace

code_location locate(std::uintptr_t address) {
  found_module module;
  if (!find_module(address, module)) return {};
  const bool is_program = module.name[0] == '\0';
  code_location location{.module = is_program ? program_path() : module.name,
                         .offset = address - module.bias,
                         .function = {}};
  // The program's own file, even if another one has its path now.
  const found_function function =
      find_function(is_program ? "/proc/self/exe" : module.name, module.image(), location.offset);
  if (!function.name.empty()) {
    location.function = demangled(function.name.c_str());
    location.function_offset = function.offset;
  }
  location.of_library = is_library(location.module) || is_of_std(function.name);
  return location;
}

}  // namespace memprof::modules
