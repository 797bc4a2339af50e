// SPDX-License-Identifier: MIT
#include "modules/find_module.hpp"

#include <atomic>
#include <cerrno>
#include <pthread.h>

namespace memprof::modules {
namespace {

constinit std::atomic<bool> forked{false};

void after_fork_in_child() noexcept { forked.store(true, std::memory_order_relaxed); }

[[gnu::constructor]] void watch_forks() noexcept {
  const int saved_errno = errno;
  pthread_atfork(nullptr, nullptr, after_fork_in_child);
  errno = saved_errno;
}

}  // namespace

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
