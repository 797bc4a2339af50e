// SPDX-License-Identifier: MIT
#include "tracer/last_thread.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/engine.hpp"
#include "tracer/relay_session.hpp"

namespace memprof::tracer {
namespace {

constinit std::atomic<bool> ended{false};

void at_thread_exit() noexcept {
  if (syscall(SYS_gettid) != getpid()) return;
  ended.store(true, std::memory_order_seq_cst);  // before the writing thread is woken
  const relay_use use;
  if (use.area() != nullptr) relay::wake(use.area()->shared);
}

/// As getdents64(2) writes it.
struct directory_entry {
  std::uint64_t inode;
  std::int64_t offset;
  std::uint16_t length;
  std::uint8_t type;
};
constexpr std::size_t name_at = 19;  // behind `type`

/// Threads of this process, those that ended but are not gone included; 0: not known.
int count_threads() noexcept {
  const auto folder = static_cast<int>(
      syscall(SYS_openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
  if (folder < 0) return 0;
  int threads = 0;
  alignas(8) char entries[2048];
  long size = 0;
  while ((size = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0) {
    for (long at = 0; at < size;) {
      directory_entry entry;
      std::memcpy(&entry, entries + at, sizeof entry);
      if (entries[at + static_cast<long>(name_at)] != '.') ++threads;
      at += entry.length;
    }
  }
  syscall(SYS_close, folder);
  return size == 0 ? threads : 0;
}

}  // namespace

void watch_main_thread() noexcept { engine::on_thread_exit(&at_thread_exit); }

void forget_main_thread() noexcept { ended.store(false, std::memory_order_relaxed); }

bool main_thread_ended() noexcept { return ended.load(std::memory_order_seq_cst); }

bool only_thread_left() noexcept { return main_thread_ended() && count_threads() == 2; }

}  // namespace memprof::tracer
