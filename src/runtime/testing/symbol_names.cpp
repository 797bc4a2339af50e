// SPDX-License-Identifier: MIT
#include "testing/symbol_names.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <memory>
#include <span>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace memprof::inline v0::testing {
namespace {

std::string demangled(char const* name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return text != nullptr ? text.get() : name;
}

/// A file in memory; empty if it cannot be read.
class mapped_file {
 public:
  explicit mapped_file(char const* path) noexcept {
    int const file = ::open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat status {};
    if (::fstat(file, &status) == 0 && status.st_size > 0) {
      auto const size = static_cast<std::size_t>(status.st_size);
      void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
      if (memory != MAP_FAILED) content_ = {static_cast<char const*>(memory), size};
    }
    ::close(file);
  }
  ~mapped_file() {
    if (!content_.empty()) ::munmap(const_cast<char*>(content_.data()), content_.size());
  }
  mapped_file(mapped_file const&) = delete;
  mapped_file& operator=(mapped_file const&) = delete;

  /// The table of n things at `offset`; empty if the file ends before.
  template <class T>
  [[nodiscard]] std::span<T const> table(std::uint64_t offset, std::uint64_t n) const noexcept {
    if (offset % alignof(T) != 0 || offset > content_.size()) return {};
    if (n > (content_.size() - offset) / sizeof(T)) return {};
    return {reinterpret_cast<T const*>(content_.data() + offset), n};
  }

 private:
  std::string_view content_;
};

/// The function of the file's full symbol table (which dladdr does not look at) that covers this
/// address of the file; empty if there is none, or the file was stripped.
std::string function_in(char const* path, std::uintptr_t address) {
  mapped_file const file(path);
  auto const header = file.table<ElfW(Ehdr)>(0, 1);
  if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0) return {};
  auto const sections = file.table<ElfW(Shdr)>(header[0].e_shoff, header[0].e_shnum);
  for (auto const& section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
    auto const& strings = sections[section.sh_link];
    auto const text = file.table<char>(strings.sh_offset, strings.sh_size);
    auto const symbols =
        file.table<ElfW(Sym)>(section.sh_offset, section.sh_size / sizeof(ElfW(Sym)));
    for (auto const& symbol : symbols) {
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) continue;
      if (address < symbol.st_value || address >= symbol.st_value + symbol.st_size) continue;
      if (symbol.st_name >= text.size()) continue;
      auto const name = text.subspan(symbol.st_name);
      if (std::memchr(name.data(), 0, name.size()) != nullptr) return demangled(name.data());
    }
  }
  return {};
}

/// Without the frames of operator new, if the stack begins with them.
void drop_operator_new(std::vector<stack_frame>& frames) {
  constexpr std::size_t most = 4;  // its own functions, if nothing was inlined
  for (std::size_t i = std::min(most, frames.size()); i-- > 0;) {
    std::string const& name = frames[i].function;
    // operator new, or what it jumped to.
    if (!name.starts_with("operator new") && !name.starts_with("(anonymous namespace)::new_")) {
      continue;
    }
    frames.erase(frames.begin(), frames.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    return;
  }
}

constexpr char const* scenario_name = "(the scenario)";

/// Names memprof's templates that call the scenario "the scenario": it may be inlined into them.
std::string told(std::string name) {
  const bool is_ours = name.find("memprof::testing::detail::") != std::string::npos;
  return is_ours ? scenario_name : std::move(name);
}

}  // namespace

stack_frame name_of(void const* return_address) {
  stack_frame frame{.address = return_address, .function = {}, .module = {}, .offset = 0};
  // The call lies before the address; it may be the last instruction of its function.
  auto const address = reinterpret_cast<std::uintptr_t>(return_address) - 1;
  Dl_info info{};
  link_map* map = nullptr;
  if (::dladdr1(reinterpret_cast<void*>(address), &info, reinterpret_cast<void**>(&map),
                RTLD_DL_LINKMAP) == 0 ||
      map == nullptr) {
    return frame;
  }
  frame.module = info.dli_fname != nullptr ? info.dli_fname : "";
  frame.offset = address - map->l_addr;
  if (info.dli_sname != nullptr) {
    frame.function = told(demangled(info.dli_sname));
    return frame;
  }
  // The name of the main program may be relative to a directory that was left.
  bool const is_program = map->l_name == nullptr || map->l_name[0] == '\0';
  frame.function = told(function_in(is_program ? "/proc/self/exe" : map->l_name, frame.offset));
  return frame;
}

std::vector<stack_frame> names_of(void* const* stack, std::size_t depth) {
  std::vector<stack_frame> frames;
  for (std::size_t i = 0; i < depth; ++i) {
    frames.push_back(name_of(stack[i]));
  }
  drop_operator_new(frames);
  const auto ends_twice = [&] {
    const std::size_t n = frames.size();
    return n > 1 && frames[n - 1].function == scenario_name &&
           frames[n - 2].function == scenario_name;
  };
  while (ends_twice()) frames.pop_back();
  return frames;
}

}  // namespace memprof::inline v0::testing
