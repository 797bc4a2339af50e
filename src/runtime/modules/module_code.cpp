// SPDX-License-Identifier: MIT
#include "modules/module_code.hpp"

#include <cstring>
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

#include "modules/find_module.hpp"

namespace memprof::modules {

struct module_code::relocation {
  Elf64_Rela fields;

  explicit relocation(unsigned char const* at) noexcept { std::memcpy(&fields, at, sizeof fields); }
};

bool module_code::open(std::uintptr_t address) noexcept {
  found_module found;
  if (!find_module(address, found)) return false;
  if (open_at(found.range.begin) && code_at(address) != 0) return true;
  // In a static program glibc knows the extent of the code only. The kernel says where the program
  // headers are: on the first page.
  return open_at(getauxval(AT_PHDR) & ~(page_size - 1)) && code_at(address) != 0;
}

/// Opens the module whose file header is mapped at `start`.
bool module_code::open_at(std::uintptr_t start) noexcept {
  *this = {};
  if (start == 0) return false;
  const auto headers = loaded_image::at(start, 0).segments;
  bool any = false;
  for (ElfW(Phdr) const& h : headers) {
    if (h.p_type != PT_LOAD) continue;
    // The first segment is mapped at the start, whether the file was linked for address 0 or not.
    if (!any) load_address_ = start - (h.p_vaddr & ~(page_size - 1));
    any = true;
    if ((h.p_flags & PF_R) == 0) continue;
    const std::uintptr_t begin = load_address_ + h.p_vaddr;
    const bool held = segments_.push(
        {begin, begin + h.p_memsz, (h.p_flags & PF_X) != 0, (h.p_flags & PF_W) != 0});
    if (!held) break;
  }
  for (ElfW(Phdr) const& h : headers) {
    if (h.p_type == PT_DYNAMIC) {
      find_tables(reinterpret_cast<void const*>(load_address_ + h.p_vaddr), load_address_);
    }
  }
  return any;
}

void module_code::find_tables(void const* dynamic, std::uintptr_t load_address) noexcept {
  // The loader turns the addresses in there into absolute ones, but not in every module.
  const auto pointer = [this, load_address](std::uintptr_t value) {
    if (!is_readable(value, 1)) value += load_address;
    return is_readable(value, 1) ? reinterpret_cast<unsigned char const*>(value) : nullptr;
  };
  std::size_t relative = 0;
  std::size_t plt_size = 0;
  std::size_t data_size = 0;
  for (auto const* d = static_cast<Elf64_Dyn const*>(dynamic); d->d_tag != DT_NULL; ++d) {
    switch (d->d_tag) {
      case DT_JMPREL:
        plt_.begin = pointer(d->d_un.d_ptr);
        break;
      case DT_PLTRELSZ:
        plt_size = d->d_un.d_val;
        break;
      case DT_RELA:
        data_.begin = pointer(d->d_un.d_ptr);
        break;
      case DT_RELASZ:
        data_size = d->d_un.d_val;
        break;
      case DT_RELACOUNT:
        relative = d->d_un.d_val;
        break;
      case DT_SYMTAB:
        symbols_ = pointer(d->d_un.d_ptr);
        break;
      case DT_STRTAB:
        strings_ = reinterpret_cast<char const*>(pointer(d->d_un.d_ptr));
        break;
      case DT_STRSZ:
        strings_size_ = d->d_un.d_val;
        break;
      default:
        break;
    }
  }
  plt_.count = plt_.begin == nullptr ? 0 : plt_size / sizeof(Elf64_Rela);
  data_.count = data_.begin == nullptr ? 0 : data_size / sizeof(Elf64_Rela);
  if (relative > data_.count) relative = data_.count;
  data_.begin += relative * sizeof(Elf64_Rela);
  data_.count -= relative;
}

module_code::segment const* module_code::holding(std::uintptr_t address,
                                                 std::size_t size) const noexcept {
  for (segment const& s : segments_) {
    if (address >= s.begin && address < s.end && size <= s.end - address) return &s;
  }
  return nullptr;
}

std::size_t module_code::code_at(std::uintptr_t address) const noexcept {
  segment const* const s = holding(address, 1);
  return s != nullptr && s->executable ? s->end - address : 0;
}

bool module_code::is_constant(std::uintptr_t address, std::size_t size) const noexcept {
  segment const* const s = holding(address, size);
  return s != nullptr && !s->writable;
}

bool module_code::is_readable(std::uintptr_t address, std::size_t size) const noexcept {
  return holding(address, size) != nullptr;
}

std::string_view module_code::name_of(relocation const& r) const noexcept {
  const std::uint64_t symbol = ELF64_R_SYM(r.fields.r_info);
  if (symbol == 0 || symbols_ == nullptr || strings_ == nullptr) return {};
  unsigned char const* const at = symbols_ + symbol * sizeof(Elf64_Sym);
  if (!is_readable(reinterpret_cast<std::uintptr_t>(at), sizeof(Elf64_Sym))) return {};
  Elf64_Sym entry;
  std::memcpy(&entry, at, sizeof entry);
  return entry.st_name < strings_size_ ? std::string_view{strings_ + entry.st_name}
                                       : std::string_view{};
}

std::string_view module_code::function_behind(std::uintptr_t slot) const noexcept {
  // The slots of the PLT stand in the order of their relocations, usually without a hole.
  const std::uintptr_t wanted = slot - load_address_;
  if (plt_.count != 0) {
    const relocation first{plt_.begin};
    const std::uintptr_t guess = (wanted - first.fields.r_offset) / sizeof(std::uintptr_t);
    if (guess < plt_.count) {
      const relocation r{plt_.begin + guess * sizeof(Elf64_Rela)};
      if (r.fields.r_offset == wanted) return name_of(r);
    }
  }
  for (relocations const& table : {plt_, data_}) {
    for (std::size_t i = 0; i < table.count; ++i) {
      const relocation r{table.begin + i * sizeof(Elf64_Rela)};
      if (r.fields.r_offset == wanted) return name_of(r);
    }
  }
  return {};
}

}  // namespace memprof::modules
