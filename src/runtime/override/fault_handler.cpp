// SPDX-License-Identifier: MIT
// The handler of SIGSEGV under MEMPROF_GUARD=1.
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "callstack/callstack.hpp"
#include "override/guard_report.hpp"
#include "override/guarded_blocks.hpp"

namespace memprof::override {
namespace {

using slot = base::guarded_slots::slot;

/// What was installed before. Written once, by the thread that installs ours.
struct sigaction before_ours {};

void install(void (*handler)(int)) noexcept {
  struct sigaction action {};
  action.sa_handler = handler;
  sigaction(SIGSEGV, &action, nullptr);
}

/// What would have happened without our handler.
void pass_on(int signal, siginfo_t* info, void* context) noexcept {
  const bool sent = info->si_code <= 0;  // by kill, raise ...: there is no access to repeat
  const bool has_handler = (before_ours.sa_flags & SA_SIGINFO) != 0 ||
                           (before_ours.sa_handler != SIG_DFL && before_ours.sa_handler != SIG_IGN);
  if (has_handler) {
    if ((before_ours.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) install(SIG_DFL);
    if ((before_ours.sa_flags & SA_SIGINFO) != 0) {
      before_ours.sa_sigaction(signal, info, context);
    } else {
      before_ours.sa_handler(signal);
    }
    return;
  }
  if (sent && before_ours.sa_handler == SIG_IGN) return;
  install(SIG_DFL);
  // When this handler returns the access is repeated, and ends the process.
  if (sent) syscall(SYS_tgkill, getpid(), gettid(), signal);
}

char const* access_of([[maybe_unused]] void const* context) noexcept {
#if defined(__x86_64__)
  // Bit 1 of the page fault's error code.
  auto const* const state = static_cast<ucontext_t const*>(context);
  return (state->uc_mcontext.gregs[REG_ERR] & 2) != 0 ? "write" : "read";
#else
  return "access";
#endif
}

std::uintptr_t interrupted_code([[maybe_unused]] void const* context) noexcept {
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(
      static_cast<ucontext_t const*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return static_cast<ucontext_t const*>(context)->uc_mcontext.pc;
#else
  return 0;  // no walk gets there
#endif
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  if (info->si_code == SEGV_MAPERR) {
    if (const slot block = block_of_access(address); block.record != nullptr) {
      std::array<std::uintptr_t, most_reported_frames + 4> frames;
      const std::size_t n = callstack::capture(frames, __builtin_frame_address(0));
      // From the interrupted code on, as signal_frame.hpp gives it: what is before is this handler,
      // those that called it, and the kernel's way back.
      const auto from =
          std::find(frames.begin(), frames.begin() + n, interrupted_code(context) + 1);
      const auto first = static_cast<std::size_t>(from - frames.begin());
      report_guard_fault({.kind = guard_fault::access,
                          .block = block,
                          .address = address,
                          .accessed = access_of(context),
                          .stack = {frames.data() + first, n - first}});
    }
  }
  errno = saved_errno;
  pass_on(signal, info, context);
}

}  // namespace

void watch_faults() noexcept {
  struct sigaction now {};
  if (sigaction(SIGSEGV, nullptr, &now) != 0) return;
  struct sigaction ours = now;
  const bool has_handler =
      (now.sa_flags & SA_SIGINFO) != 0 || (now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN);
  // Signals that the program's handler does not want meanwhile, and its stack, are as it said.
  if (!has_handler) ours.sa_flags = SA_ONSTACK;
  ours.sa_flags = (ours.sa_flags | SA_SIGINFO) & ~static_cast<int>(SA_RESETHAND);
  ours.sa_sigaction = &on_fault;
  before_ours = now;
  sigaction(SIGSEGV, &ours, nullptr);
}

}  // namespace memprof::override
