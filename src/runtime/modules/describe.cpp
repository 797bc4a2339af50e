// SPDX-License-Identifier: MIT
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <memory>
#include <string>
#include <string_view>
#include <unistd.h>

#include "memprof/callstack.hpp"

#include "modules/elf_file.hpp"
#include "modules/function_table.hpp"

namespace memprof::inline v0 {
namespace {

std::string hexadecimal(std::uintptr_t n) {
  char digits[2 * sizeof n];
  auto const end = std::to_chars(digits, digits + sizeof digits, n, 16).ptr;
  return "0x" + std::string(digits, end);
}

/// The module at `address`, as the loader knows it.
struct found_module {
  std::string path;
  char const* file = nullptr;  ///< to open: that of the program even if it was replaced or deleted
  modules::loaded_image image;
};

/// False if no module is there. Takes no lock: `_dl_find_object`.
bool find_module(std::uintptr_t address, found_module& found) {
  dl_find_object object = {};
  if (_dl_find_object(reinterpret_cast<void*>(address), &object) != 0) return false;
  found.file = object.dlfo_link_map->l_name;
  found.path = found.file;
  if (found.path.empty()) {  // the program itself
    found.file = "/proc/self/exe";
    char path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    if (length > 0) found.path.assign(path, static_cast<std::size_t>(length));
  }
  found.image.bias = object.dlfo_link_map->l_addr;
  // Linkers put the headers at the start of the first segment. Behind its first page there may be a
  // gap that cannot be read.
  constexpr std::size_t page = 4096;
  auto const* const start = static_cast<unsigned char const*>(object.dlfo_map_start);
  auto const* const header = reinterpret_cast<ElfW(Ehdr) const*>(start);
  if (std::string_view(ELFMAG, SELFMAG) ==
          std::string_view(reinterpret_cast<char const*>(start), SELFMAG) &&
      header->e_phoff <= page && header->e_phnum <= (page - header->e_phoff) / sizeof(ElfW(Phdr))) {
    found.image.segments = reinterpret_cast<ElfW(Phdr) const*>(start + header->e_phoff);
    found.image.count = header->e_phnum;
  }
  return true;
}

/// The function that holds `address` (as in the file), and how far into it that is. Empty: unknown.
struct found_function {
  std::string name;
  std::uintptr_t offset = 0;
};

found_function find_function(modules::function_table const& table, std::uintptr_t address) {
  char const* best = nullptr;  // copied afterwards: what the table calls may not throw
  std::uintptr_t best_offset = 0;
  table.for_each([&](ElfW(Sym) const& symbol, char const* name) noexcept {
    if (symbol.st_shndx == SHN_UNDEF || address - symbol.st_value >= symbol.st_size) return;
    const std::uintptr_t offset = address - symbol.st_value;
    if (best == nullptr || offset < best_offset) {
      best = name;
      best_offset = offset;
    }
  });
  if (best == nullptr) return {};
  return {best, best_offset};
}

found_function find_function(found_module const& module, std::uintptr_t address) {
  const modules::elf_file file{module.file};
  if (!file.is_open() || !file.is_file_of(module.image)) return {};
  found_function found = find_function(modules::function_table{file, SHT_SYMTAB}, address);
  if (found.name.empty()) found = find_function({file, SHT_DYNSYM}, address);
  return found;
}

std::string demangled(std::string const& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text{
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free};
  return status == 0 ? std::string(text.get()) : name;
}

}  // namespace

std::string describe(void const* return_address) {
  const int saved_errno = errno;
  // Of the call: the address that follows it may be another function's.
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(return_address) - 1;
  std::string text;
  found_module module;
  if (return_address == nullptr || !find_module(address, module)) {
    text = hexadecimal(reinterpret_cast<std::uintptr_t>(return_address));
  } else {
    const std::uintptr_t in_file = address - module.image.bias;
    text = module.path + '+' + hexadecimal(in_file);
    const found_function function = find_function(module, in_file);
    if (!function.name.empty()) {
      text = demangled(function.name) + '+' + hexadecimal(function.offset) + " (" + text + ')';
    }
  }
  errno = saved_errno;
  return text;
}

}  // namespace memprof::inline v0
