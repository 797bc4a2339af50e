// SPDX-License-Identifier: MIT
/// \file
/// The slots of a module through which it reaches functions of other modules.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>

#include "modules/permanent_modules.hpp"

namespace memprof::modules {

/// A word that the loader filled in, or will, with the address of a function.
class imported_slot {
 public:
  imported_slot(listed_module const& module, std::uintptr_t address) noexcept
      : module_(module), address_(address) {}

  [[nodiscard]] std::uintptr_t target() const noexcept {
    return word().load(std::memory_order_relaxed);
  }
  /// It still leads to the module's own stub, which asks the loader at the first call.
  [[nodiscard]] bool is_unresolved() const noexcept { return module_.range.contains(target()); }

  /// Makes it lead elsewhere, also where the loader has made it read-only; false if the kernel does
  /// not let us.
  /// \note Threads: the module's code may run meanwhile, and sees the old address or the new one.
  bool redirect(std::uintptr_t target) const noexcept {
    const bool read_only = is_read_only();
    void* const page = reinterpret_cast<void*>(address_ & ~std::uintptr_t{page_size - 1});
    if (read_only && mprotect(page, page_size, PROT_READ | PROT_WRITE) != 0) return false;
    word().store(target, std::memory_order_release);
    if (read_only) mprotect(page, page_size, PROT_READ);
    return true;
  }

 private:
  [[nodiscard]] std::atomic_ref<std::uintptr_t> word() const noexcept {
    return std::atomic_ref{*reinterpret_cast<std::uintptr_t*>(address_)};
  }
  [[nodiscard]] bool is_read_only() const noexcept {
    ElfW(Phdr) const* const relro = module_.image.header(PT_GNU_RELRO);
    if (relro == nullptr) return false;
    const std::uintptr_t begin = module_.image.bias + relro->p_vaddr;
    return address_range{begin, begin + relro->p_memsz}.contains(address_);
  }

  listed_module const& module_;
  std::uintptr_t address_;
};

/// Whether a relocation of this type stores the address of a function.
constexpr bool stores_function(std::uint64_t type) noexcept {
#if defined(__aarch64__)
  return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT || type == R_AARCH64_ABS64;
#else
  return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT || type == R_X86_64_64;
#endif
}

/// Calls `visit(name, slot)` for the slots of symbols that the module does not define itself.
///
/// \note Threads: any, while the module is loaded; takes no lock.
template <class Visitor>
void visit_imported_slots(listed_module const& module, Visitor visit) noexcept {
  auto const* const symbols = reinterpret_cast<ElfW(Sym) const*>(module.dynamic_address(DT_SYMTAB));
  auto const* const names = reinterpret_cast<char const*>(module.dynamic_address(DT_STRTAB));
  if (symbols == nullptr || names == nullptr) return;
  struct {
    ElfW(Sxword) table, size;
  } constexpr tables[] = {{DT_RELA, DT_RELASZ}, {DT_JMPREL, DT_PLTRELSZ}};
  for (auto const& t : tables) {
    auto const* const begin = reinterpret_cast<ElfW(Rela) const*>(module.dynamic_address(t.table));
    if (begin == nullptr) continue;
    auto const* const end = begin + module.dynamic_value(t.size) / sizeof *begin;
    for (auto const* r = begin; r != end; ++r) {
      ElfW(Sym) const& symbol = symbols[ELF64_R_SYM(r->r_info)];
      if (symbol.st_shndx != SHN_UNDEF || r->r_addend != 0) continue;
      if (!stores_function(ELF64_R_TYPE(r->r_info))) continue;
      visit(names + symbol.st_name, imported_slot(module, module.image.bias + r->r_offset));
    }
  }
}

}  // namespace memprof::modules
