// SPDX-License-Identifier: MIT
#include "tracer/module_list.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <elf.h>
#include <link.h>
#include <unistd.h>

#include "base/base.hpp"

namespace memprof::tracer {
namespace {

/// Held around calls of the loader. One for the process: forks concern any list.
constinit std::atomic<bool> asking_loader{false};
constinit std::atomic<int> waiting_forks{0};

constexpr std::int32_t loader_wait_us = 100;

constexpr std::size_t aligned(std::size_t size) noexcept { return (size + 3) & ~std::size_t{3}; }

/// The first 8 bytes of the build id in the notes [at, end), in hexadecimal.
bool find_build_id(char const* at, char const* end, char (&id)[17]) noexcept {
  while (static_cast<std::size_t>(end - at) >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, at, sizeof note);
    char const* const name = at + sizeof note;
    const std::size_t rest = static_cast<std::size_t>(end - name);
    if (note.n_namesz > rest || note.n_descsz > rest ||
        aligned(note.n_namesz) + aligned(note.n_descsz) > aligned(rest)) {
      return false;
    }
    char const* const bytes = name + aligned(note.n_namesz);
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0 &&
        note.n_descsz >= 8) {
      for (std::size_t i = 0; i < 8; ++i) {
        const auto byte = static_cast<unsigned char>(bytes[i]);
        id[2 * i] = "0123456789abcdef"[byte >> 4];
        id[2 * i + 1] = "0123456789abcdef"[byte & 15];
      }
      id[16] = '\0';
      return true;
    }
    if (aligned(note.n_descsz) >= static_cast<std::size_t>(end - bytes)) return false;
    at = bytes + aligned(note.n_descsz);
  }
  return false;
}

/// The program itself has no name in the loader's list.
std::string_view path_of(dl_phdr_info const& info, char (&program)[4096]) noexcept {
  if (info.dlpi_name != nullptr && info.dlpi_name[0] != '\0') return info.dlpi_name;
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program);
  return length > 0 ? std::string_view(program, static_cast<std::size_t>(length))
                    : std::string_view("program");
}

bool overlap(module_list::module const& a, std::uintptr_t begin, std::uintptr_t end) noexcept {
  return a.begin < end && begin < a.end;
}

}  // namespace

void module_list::refresh() noexcept {
  if (modules_ == nullptr) {
    modules_ = static_cast<module*>(base::map_pages(most_modules * sizeof(module)));
    if (modules_ == nullptr) return;
  }
  // seq_cst: either the fork sees that we ask, or we see that it waits; then it goes first.
  asking_loader.store(true, std::memory_order_seq_cst);
  while (waiting_forks.load(std::memory_order_seq_cst) != 0) {
    asking_loader.store(false, std::memory_order_release);
    base::sleep_uncancellable(loader_wait_us);
    asking_loader.store(true, std::memory_order_seq_cst);
  }
  listing_ = false;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t size, void* list) { return visit(info, size, list); },
      this);
  asking_loader.store(false, std::memory_order_release);
}

int module_list::visit(dl_phdr_info* info, std::size_t size, void* context) noexcept {
  module_list& list = *static_cast<module_list*>(context);
  const bool counted = size >= offsetof(dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs;
  if (!list.listing_) {
    if (counted && list.loads_ == info->dlpi_adds && list.unloads_ == info->dlpi_subs) return 1;
    if (counted) {
      list.loads_ = info->dlpi_adds;
      list.unloads_ = info->dlpi_subs;
    }
    list.listing_ = true;
    for (module& m : list.modules()) m.loaded = false;
  }
  list.add(*info);
  return 0;
}

void module_list::add(dl_phdr_info const& info) noexcept {
  module fresh;
  fresh.bias = info.dlpi_addr;
  fresh.begin = ~std::uintptr_t{0};
  for (std::size_t i = 0; i < info.dlpi_phnum; ++i) {
    ElfW(Phdr) const& header = info.dlpi_phdr[i];
    const std::uintptr_t at = info.dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD) {
      fresh.begin = std::min(fresh.begin, at);
      fresh.end = std::max(fresh.end, at + header.p_memsz);
    } else if (header.p_type == PT_NOTE && fresh.build_id[0] == '\0') {
      auto const* const notes = reinterpret_cast<char const*>(at);
      find_build_id(notes, notes + header.p_memsz, fresh.build_id);
    }
  }
  if (fresh.begin >= fresh.end) return;
  char program[4096];
  const std::string_view path = path_of(info, program);
  fresh.loaded = true;
  for (module& m : modules()) {
    if (!overlap(m, fresh.begin, fresh.end)) continue;
    if (m.begin == fresh.begin && m.end == fresh.end && m.bias == fresh.bias && m.path == path &&
        std::strcmp(m.build_id, fresh.build_id) == 0) {
      m.loaded = true;  // the same again
      return;
    }
    fresh.generation = std::max(fresh.generation, m.generation + 1);
  }
  if (fresh.generation == 0 && lowest_unknown_ < fresh.end && fresh.begin <= highest_unknown_) {
    fresh.generation = 1;
  }
  if (count_ == most_modules || fresh.generation >> (63 - address_bits) != 0) return;
  fresh.path = texts_.keep(path);
  if (fresh.generation > 0) any_place_taken_twice_ = true;
  modules_[count_++] = fresh;
}

trace::location_code module_list::code_among_generations(std::uintptr_t address) const noexcept {
  for (module const& m : modules()) {
    if (m.loaded && address - 1 >= m.begin && address - 1 < m.end) {
      return m.generation << address_bits | address;
    }
  }
  return address;
}

module_list::module const* module_list::module_of(trace::location_code code) const noexcept {
  const std::uintptr_t address = address_of(code);
  const std::uint64_t generation = code >> address_bits;
  for (module const& m : modules()) {
    if (m.generation == generation && address - 1 >= m.begin && address - 1 < m.end) return &m;
  }
  return nullptr;
}

void module_list::keep_unknown(trace::location_code code) noexcept {
  lowest_unknown_ = std::min(lowest_unknown_, address_of(code));
  highest_unknown_ = std::max(highest_unknown_, address_of(code));
}

void before_fork() noexcept {
  waiting_forks.fetch_add(1, std::memory_order_seq_cst);
  for (int i = 0; i < 1000 && asking_loader.load(std::memory_order_seq_cst); ++i)
    base::sleep_uncancellable(loader_wait_us);
}

void after_fork() noexcept { waiting_forks.fetch_sub(1, std::memory_order_release); }

void after_fork_in_child() noexcept {
  waiting_forks.store(0, std::memory_order_relaxed);
  asking_loader.store(false, std::memory_order_relaxed);
}

}  // namespace memprof::tracer
