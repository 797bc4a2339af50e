// SPDX-License-Identifier: MIT
#include "page_arena.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <set>

#include "base/page_memory.hpp"

namespace {

constexpr std::size_t page = 4096;
alignas(page) char arena[64UL << 20];
std::size_t used = 0;
// Ranges of slots: nobody looks into them.
std::set<std::uintptr_t>& mapped() {
  static std::set<std::uintptr_t> addresses;
  return addresses;
}

}  // namespace

void interleavings::reset_pages() noexcept {
  std::memset(arena, 0, used);
  used = 0;
  mapped().clear();
}

namespace memprof::base {

std::size_t whole_pages(std::size_t size) noexcept { return (size + page - 1) / page * page; }

void* map_pages(std::size_t size) noexcept {
  char* const pages = arena + used;
  used += whole_pages(size);
  return used <= sizeof arena ? pages : nullptr;
}

void* map_sparse_pages(std::size_t size) noexcept { return map_pages(size); }

int map_pages_at(std::uintptr_t address, std::size_t, bool) noexcept {
  return mapped().insert(address).second ? 0 : EEXIST;
}

void drop_pages(void* memory, std::size_t size) noexcept {
  auto* const pages = static_cast<char*>(memory);
  if (pages >= arena && pages < arena + sizeof arena) std::memset(memory, 0, size);
}

int move_pages(void* from, std::size_t, void*, std::size_t) noexcept {
  mapped().erase(reinterpret_cast<std::uintptr_t>(from));
  return 0;
}

bool unmap_pages(void* memory, std::size_t) noexcept {
  mapped().erase(reinterpret_cast<std::uintptr_t>(memory));
  return true;
}

}  // namespace memprof::base
