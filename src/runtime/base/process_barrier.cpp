// SPDX-License-Identifier: MIT
#include "base/process_barrier.hpp"

#include <cerrno>
#include <cstdint>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/sleep_uncancellable.hpp"

namespace memprof::base {

namespace detail {
constinit std::atomic<bool> heavy_works{false};
}

namespace {

bool membarrier(int command) noexcept { return syscall(SYS_membarrier, command, 0, 0) == 0; }

bool register_process() noexcept { return membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED); }

}  // namespace

void open_process_barrier() noexcept {
  if (detail::heavy_works.load(std::memory_order_relaxed)) return;
  const int saved_errno = errno;
  if (register_process() && membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) {
    detail::heavy_works.store(true, std::memory_order_relaxed);
  }
  errno = saved_errno;
}

void heavy_barrier() noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!detail::heavy_works.load(std::memory_order_relaxed)) return;
  const int saved_errno = errno;
  constexpr int expedited = MEMBARRIER_CMD_PRIVATE_EXPEDITED;
  if (!membarrier(expedited) && !(register_process() && membarrier(expedited))) {
    // The program has forbidden it meanwhile. No processor keeps a store to itself for as long.
    constexpr std::int32_t microseconds = 20'000;
    sleep_uncancellable(microseconds);
  }
  errno = saved_errno;
}

}  // namespace memprof::base
