// SPDX-License-Identifier: MIT
#include "callstack/readable_stack.hpp"

#include <cerrno>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

// The first stack pointer of the program: glibc's loader keeps it, and so do static programs.
extern "C" [[gnu::weak]] void* __libc_stack_end;

namespace memprof::callstack {
namespace {

constexpr std::uintptr_t page = 4096;  // larger pages are checked more often than needed
constexpr std::uintptr_t page_of(std::uintptr_t address) noexcept { return address & ~(page - 1); }

/// No real frame is larger.
constexpr std::uintptr_t largest_gap = std::uintptr_t{1} << 20;
/// How much of a thread's own stack is searched at once, and how often.
constexpr std::uintptr_t largest_first_look = std::uintptr_t{4} << 20;
constexpr int most_tries = 8;

/// The known part of the thread's own stack: [low, high).
struct own_stack {
  std::uintptr_t low = 0;
  std::uintptr_t high = 0;
  int tries = 0;
};
constinit thread_local own_stack own;

bool all_readable(std::uintptr_t from, std::uintptr_t to) noexcept {
  for (std::uintptr_t at = page_of(from); at < to; at += page) {
    if (!is_readable(at)) return false;
  }
  return true;
}

bool is_near_above(std::uintptr_t end, std::uintptr_t sp) noexcept {
  return sp < end && end - sp <= largest_first_look;
}

/// glibc puts a thread's own data at the upper end of its stack; the first thread's stack begins
/// where the program began, unless the process was forked by another one. 0 if neither is near
/// above.
std::uintptr_t end_of_own(std::uintptr_t sp) noexcept {
  auto end = static_cast<std::uintptr_t>(pthread_self());
  if (syscall(SYS_gettid) == getpid() && &__libc_stack_end != nullptr) {
    const auto begin_of_program = reinterpret_cast<std::uintptr_t>(__libc_stack_end);
    if (is_near_above(begin_of_program, sp)) end = begin_of_program;
  }
  return is_near_above(end, sp) ? end & ~std::uintptr_t{7} : 0;
}

/// Finds the thread's own stack, or more of it. There is an unreadable page between it
/// and any other.
void look(std::uintptr_t sp) noexcept {
  own_stack& known = own;
  if (known.tries >= most_tries) return;
  if (known.high != 0) {
    if (sp >= known.low || known.low - sp > largest_first_look) return;
    // Deeper than ever before.
    if (all_readable(sp, known.low)) {
      known.low = page_of(sp);
    } else {
      ++known.tries;
    }
    return;
  }
  const std::uintptr_t end = end_of_own(sp);
  if (end != 0 && all_readable(sp, end)) {
    known.low = page_of(sp);
    known.high = end;
  } else {
    ++known.tries;
  }
}

}  // namespace

bool is_readable(std::uintptr_t address) noexcept {
  const int saved_errno = errno;
  // The kernel reads the set before it rejects the unknown operation.
  constexpr int nothing_known = -1;
  constexpr std::size_t set_size = 8;
  syscall(SYS_rt_sigprocmask, nothing_known, address, nullptr, set_size);
  const bool readable = errno != EFAULT;
  errno = saved_errno;
  return readable;
}

bool is_on_own_stack(std::uintptr_t address) noexcept {
  if (address < own.low || address >= own.high) look(address);
  return address >= own.low && address < own.high;
}

readable_stack::readable_stack(std::uintptr_t sp) noexcept {
  if (sp < own.low || sp >= own.high) look(sp);
  low_ = sp;
  if (sp >= own.low && sp < own.high) {
    high_ = own.high;
  } else {
    high_ = sp;
  }
}

bool readable_stack::extend(std::uintptr_t address) noexcept {
  if (high_ == own.high && low_ >= own.low) return false;  // that is all of it
  if (address - high_ > largest_gap || address > ~largest_gap) return false;
  std::uintptr_t end = page_of(high_);
  for (; end <= address; end += page) {
    if (!is_readable(end)) return false;
  }
  high_ = end;
  return true;
}

}  // namespace memprof::callstack
