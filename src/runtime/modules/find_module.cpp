// SPDX-License-Identifier: MIT
#include "modules/find_module.hpp"

#include <atomic>
#include <cerrno>
#include <pthread.h>
#include <sys/auxv.h>

namespace memprof::modules {
namespace {

constinit std::atomic<bool> forked{false};

void after_fork_in_child() noexcept { forked.store(true, std::memory_order_relaxed); }

/// Of a static program, whose data glibc's search does not know.
loaded_image program_image() noexcept {
  const std::uintptr_t headers = getauxval(AT_PHDR);
  loaded_image image{0, {reinterpret_cast<ElfW(Phdr) const*>(headers), getauxval(AT_PHNUM)}};
  // Each of them is where PT_PHDR says; a program that may be anywhere has one.
  if (ElfW(Phdr) const* const own = image.header(PT_PHDR)) image.bias = headers - own->p_vaddr;
  return image;
}

[[gnu::constructor]] void watch_forks() noexcept {
  const int saved_errno = errno;
  pthread_atfork(nullptr, nullptr, after_fork_in_child);
  errno = saved_errno;
}

}  // namespace

address_range readable_around(std::uintptr_t address) noexcept {
  found_module found;
  const bool has_module = find_module(address, found);
  if (has_module) {
    const loaded_image image = found.image();
    if (!image.segments.empty()) return image.readable_around(address);
  }
  const address_range around = program_image().readable_around(address);
  // Where no headers are to be found the loader's word for it has to do.
  return around == address_range{} && has_module ? found.range : around;
}

std::uint64_t unload_epoch() noexcept {
  if (forked.load(std::memory_order_relaxed)) {
    static constinit std::atomic<std::uint64_t> distinct{1};
    return std::uint64_t{1} << 63 | distinct.fetch_add(1, std::memory_order_relaxed);
  }
  std::uint64_t unloaded = 0;
  visit_modules([&unloaded](dl_phdr_info const& info) noexcept {
    unloaded = info.dlpi_subs;
    return false;
  });
  return unloaded + 1;
}

}  // namespace memprof::modules
