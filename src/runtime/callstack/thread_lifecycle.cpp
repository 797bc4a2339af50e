// SPDX-License-Identifier: MIT
#include "callstack/thread_lifecycle.hpp"

#include <new>

#include "base/base.hpp"
#include "callstack/walk_counters.hpp"
#include "callstack/walk_memo.hpp"

namespace memprof::callstack {
namespace {

constinit thread_local bool has_end = false;  // and may have a memo
constinit thread_local walk_memo* memo = nullptr;

}  // namespace

void begin_thread() noexcept {
  has_end = true;
  open_walk_counters();
}

void end_thread() noexcept {
  has_end = false;
  walk_memo* const own_memo = memo;
  memo = nullptr;
  // The thread ends in a signal handler that interrupted a walk: that walk still uses the memo.
  if (own_memo != nullptr && own_memo->begin_walk()) base::unmap_pages(own_memo, sizeof *own_memo);
  close_walk_counters();
}

void forget_walk() noexcept {
  if (memo != nullptr) memo->forget();
}

walk_memo* begin_walk_of_thread() noexcept {
  if (memo == nullptr) [[unlikely]] {
    if (!has_end) return nullptr;
    void* const memory = base::map_sparse_pages(sizeof(walk_memo));
    if (memory == nullptr) {
      has_end = false;  // a system call for each sample would cost more than it saves
      return nullptr;
    }
    memo = ::new (memory) walk_memo;
  }
  return memo->begin_walk() ? memo : nullptr;
}

}  // namespace memprof::callstack
