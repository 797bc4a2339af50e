// SPDX-License-Identifier: MIT
#include "callstack/loaded_module.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include "callstack/permanent_modules.hpp"

namespace memprof::callstack {
namespace {

/// 20 bytes from the usual linkers; a longer one is cut.
using build_id = std::array<std::uint64_t, 3>;

/// All that is compared. Words, so that a reader may meet a writer.
struct identity {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::uintptr_t tables = 0;
  build_id id{};
};
constexpr std::size_t identity_words = sizeof(identity) / sizeof(std::uint64_t);
using identity_as_words = std::array<std::uint64_t, identity_words>;

struct known_module {
  std::atomic<std::uint32_t> state{0};  ///< 0: free, 1: being filled, 2: filled
  std::array<std::atomic<std::uint64_t>, identity_words> words{};
};

constexpr std::size_t most_modules = 4096;
constinit std::array<known_module, most_modules> modules;

/// The build id of the module whose first page is at `page`. Looked for in that page alone, where
/// linkers put it: it is mapped, whatever module it is.
bool read_build_id(unsigned char const* page, build_id& id) noexcept {
  constexpr std::size_t page_size = 4096;
  ElfW(Ehdr) header;
  std::memcpy(&header, page, sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return false;
  if (header.e_phentsize != sizeof(ElfW(Phdr))) return false;
  if (header.e_phoff > page_size ||
      header.e_phoff + header.e_phnum * sizeof(ElfW(Phdr)) > page_size) {
    return false;
  }
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment;
    std::memcpy(&segment, page + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type != PT_NOTE || segment.p_offset > page_size) continue;
    const std::size_t end = segment.p_offset + segment.p_filesz;
    if (end > page_size) continue;
    for (std::size_t at = segment.p_offset; at + sizeof(ElfW(Nhdr)) <= end;) {
      ElfW(Nhdr) note;
      std::memcpy(&note, page + at, sizeof note);
      const std::size_t name = at + sizeof note;
      const std::size_t contents = name + (std::size_t{note.n_namesz} + 3) / 4 * 4;
      if (contents > end || contents + note.n_descsz > end) break;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz >= 8 &&
          std::memcmp(page + name, "GNU", 4) == 0) {
        const std::size_t length = note.n_descsz < sizeof id ? note.n_descsz : sizeof id;
        std::memcpy(id.data(), page + contents, length);
        return true;
      }
      at = contents + (std::size_t{note.n_descsz} + 3) / 4 * 4;
    }
  }
  return false;
}

bool is(known_module const& m, identity_as_words const& words) noexcept {
  for (std::size_t i = 0; i < identity_words; ++i) {
    if (m.words[i].load(std::memory_order_relaxed) != words[i]) return false;
  }
  return true;
}

/// Its number, a new one the first time; 0 if there is no room.
module_number number_of(identity const& wanted) noexcept {
  identity_as_words words;
  std::memcpy(words.data(), &wanted, sizeof wanted);
  std::size_t place = (wanted.begin >> 12) * 0x9e3779b97f4a7c15u >> 52;
  for (std::size_t probe = 0; probe < 64; ++probe, place = (place + 1) % most_modules) {
    if (place == 0) continue;
    known_module& m = modules[place];
    std::uint32_t state = m.state.load(std::memory_order_acquire);
    if (state == 0 && m.state.compare_exchange_strong(state, 1, std::memory_order_acquire)) {
      for (std::size_t i = 0; i < identity_words; ++i) {
        m.words[i].store(words[i], std::memory_order_relaxed);
      }
      m.state.store(2, std::memory_order_release);
      return static_cast<module_number>(place);
    }
    if (state == 2 && is(m, words)) return static_cast<module_number>(place);
  }
  return 0;
}

}  // namespace

bool find_owner(std::uintptr_t pc, code_owner& owner) noexcept {
  owner = {};
  if (listed_module const* const m = permanent_module_at(pc)) {
    owner = {.begin = m->begin, .end = m->end, .permanent = true};
    return true;
  }
  dl_find_object object{};
  if (_dl_find_object(reinterpret_cast<void*>(pc), &object) != 0) return false;
  identity wanted{.begin = reinterpret_cast<std::uintptr_t>(object.dlfo_map_start),
                  .end = reinterpret_cast<std::uintptr_t>(object.dlfo_map_end),
                  .tables = reinterpret_cast<std::uintptr_t>(object.dlfo_eh_frame)};
  owner.begin = wanted.begin;
  owner.end = wanted.end;
  if (read_build_id(static_cast<unsigned char const*>(object.dlfo_map_start), wanted.id)) {
    owner.number = number_of(wanted);
  }
  owner.known_again = owner.number != 0;
  return true;
}

}  // namespace memprof::callstack
