// SPDX-License-Identifier: MIT
#include "modules/code_location.hpp"

#include <elf.h>

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
  return location;
}

}  // namespace memprof::modules
