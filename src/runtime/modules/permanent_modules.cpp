// SPDX-License-Identifier: MIT
#include "modules/permanent_modules.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "base/base.hpp"
#include "modules/find_module.hpp"

namespace memprof::modules {
namespace {

char const* base_name(char const* path) noexcept {
  char const* const slash = std::strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

/// Is it the module that another one needs by the name `wanted`?
bool answers_to(listed_module const& m, char const* wanted) noexcept {
  if (m.name != nullptr && std::strcmp(base_name(m.name), base_name(wanted)) == 0) return true;
  if (m.dynamic == nullptr) return false;
  char const* const strings = reinterpret_cast<char const*>(m.dynamic_address(DT_STRTAB));
  if (strings == nullptr) return false;
  for (ElfW(Dyn) const* d = m.dynamic; d->d_tag != DT_NULL; ++d) {
    if (d->d_tag == DT_SONAME) return std::strcmp(strings + d->d_un.d_val, wanted) == 0;
  }
  return false;
}

/// Marks `m` and, deep first, all that it needs. As deep as the chain of needs is long.
void mark(module_list& list, listed_module& m) noexcept {
  if (m.permanent) return;
  m.permanent = true;
  if (m.dynamic == nullptr) return;
  char const* const strings = reinterpret_cast<char const*>(m.dynamic_address(DT_STRTAB));
  if (strings == nullptr) return;
  for (ElfW(Dyn) const* d = m.dynamic; d->d_tag != DT_NULL; ++d) {
    if (d->d_tag != DT_NEEDED) continue;
    char const* const wanted = strings + d->d_un.d_val;
    for (std::size_t i = 0; i < list.count; ++i) {
      if (!list.modules[i].permanent && answers_to(list.modules[i], wanted)) {
        mark(list, list.modules[i]);
      }
    }
  }
}

void mark_permanent(module_list& list) noexcept {
  const auto own = reinterpret_cast<std::uintptr_t>(&list_modules);
  for (std::size_t i = 0; i < list.count; ++i) {
    listed_module& m = list.modules[i];
    // The loader lists the program first.
    if (i == 0 || m.range.contains(own)) mark(list, m);
  }
}

/// The list, and its modules by address.
struct permanent_list {
  module_list all;
  std::array<listed_module const*, std::tuple_size_v<decltype(module_list::modules)>> sorted;

  void make() noexcept {
    list_modules(all);
    const auto end = all.modules.begin() + static_cast<std::ptrdiff_t>(all.count);
    const auto kept = std::remove_if(all.modules.begin(), end,
                                     [](listed_module const& m) { return !m.permanent; });
    all.count = static_cast<std::size_t>(kept - all.modules.begin());
    for (std::size_t i = 0; i < all.count; ++i) sorted[i] = &all.modules[i];
    std::sort(sorted.data(), sorted.data() + all.count,
              [](listed_module const* a, listed_module const* b) {
                return a->range.begin < b->range.begin;
              });
  }
};

constinit std::atomic<permanent_list const*> permanent{nullptr};

[[gnu::constructor]] void list_when_loaded() noexcept {
  const int saved_errno = errno;
  permanent_modules();
  errno = saved_errno;
}

}  // namespace

module_list const* permanent_modules() noexcept {
  permanent_list const* known = permanent.load(std::memory_order_acquire);
  if (known != nullptr) return &known->all;
  void* const memory = base::map_pages(sizeof(permanent_list));
  if (memory == nullptr) return nullptr;
  // Zeroed pages are an empty list. To construct it would touch them all, 250 KiB at each start.
  auto* const list = static_cast<permanent_list*>(memory);
  list->make();
  if (permanent.compare_exchange_strong(known, list, std::memory_order_acq_rel)) return &list->all;
  base::unmap_pages(memory, sizeof(permanent_list));
  return &known->all;
}

listed_module const* permanent_module_at(std::uintptr_t pc) noexcept {
  permanent_list const* const list = permanent.load(std::memory_order_acquire);
  if (list == nullptr) return nullptr;
  auto const* const begin = list->sorted.data();
  auto const* const end = begin + list->all.count;
  auto const* const above = std::upper_bound(
      begin, end, pc, [](std::uintptr_t at, auto* m) { return at < m->range.begin; });
  return above != begin && above[-1]->range.contains(pc) ? above[-1] : nullptr;
}

listed_module listed_module::of(dl_phdr_info const& info) noexcept {
  listed_module m;
  m.image = loaded_image::of(info);
  m.name = info.dlpi_name;
  m.range = m.image.extent();
  if (ElfW(Phdr) const* const dynamic = m.image.header(PT_DYNAMIC)) {
    m.dynamic = reinterpret_cast<ElfW(Dyn) const*>(m.image.bias + dynamic->p_vaddr);
  }
  return m;
}

std::uintptr_t listed_module::dynamic_address(ElfW(Sxword) tag) const noexcept {
  for (ElfW(Dyn) const* d = dynamic; d != nullptr && d->d_tag != DT_NULL; ++d) {
    if (d->d_tag != tag) continue;
    // glibc relocates them in place, except in modules it may not write to (the vDSO).
    const std::uintptr_t address = d->d_un.d_ptr;
    return address >= range.begin ? address : address + image.bias;
  }
  return 0;
}

std::size_t listed_module::dynamic_value(ElfW(Sxword) tag) const noexcept {
  for (ElfW(Dyn) const* d = dynamic; d != nullptr && d->d_tag != DT_NULL; ++d) {
    if (d->d_tag == tag) return d->d_un.d_val;
  }
  return 0;
}

void list_modules(module_list& list) noexcept {
  // Within one visit, so that the loader's lock is held all the time: the names and dynamic
  // sections of modules that may be unloaded are read, too.
  visit_modules([&list](dl_phdr_info const&) noexcept {
    list.count = 0;
    visit_modules([&list](dl_phdr_info const& info) noexcept {
      if (list.count == list.modules.size()) return false;
      list.modules[list.count++] = listed_module::of(info);
      return true;
    });
    mark_permanent(list);
    return false;
  });
}

}  // namespace memprof::modules
