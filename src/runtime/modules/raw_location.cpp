// SPDX-License-Identifier: MIT
#include "modules/raw_location.hpp"

#include <array>
#include <cstddef>
#include <elf.h>
#include <unistd.h>

#include "base/base.hpp"
#include "modules/elf_file.hpp"
#include "modules/find_module.hpp"
#include "modules/function_table.hpp"

namespace memprof::modules {

void describe_raw(std::uintptr_t address, std::span<char> text) noexcept {
  base::bounded_text out{text};
  found_module module;
  if (!find_module(address, module)) {
    out.hexadecimal(address);
    return;
  }
  const bool is_program = module.name[0] == '\0';
  std::array<char, 200> program{};
  char const* name = module.name;
  if (is_program) {
    // Cut if it is longer; the file is opened by its other name.
    name = readlink("/proc/self/exe", program.data(), program.size() - 1) > 0 ? program.data()
                                                                              : "(program)";
  }
  const std::uintptr_t offset = address - module.bias;
  const elf_file file{is_program ? "/proc/self/exe" : module.name};
  bool named = false;
  if (file.is_open() && file.is_file_of(module.image())) {
    constexpr std::array<std::uint32_t, 2> tables{SHT_SYMTAB, SHT_DYNSYM};
    for (const std::uint32_t type : tables) {
      const function_table table{file, type};
      const function_table::place function = table.function_at(offset);
      if (function.name == nullptr) continue;
      std::array<char, 200> shown;  // the module has to fit, too
      base::bounded_text{shown} << function.name;
      (out << shown.data() << "+").hexadecimal(function.offset);
      named = true;
      break;
    }
  }
  (out << (named ? " (" : "") << name << "+").hexadecimal(offset) << (named ? ")" : "");
}

}  // namespace memprof::modules
