// SPDX-License-Identifier: MIT
#include "fiber/overflow.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <pthread.h>
#include <sys/mman.h>

#include "memprof/fiber.hpp"

#include "base/base.hpp"
#include "fiber/context.hpp"

namespace memprof::fiber {
namespace {

constexpr std::size_t signal_stack_size = std::size_t{64} << 10;

enum class phase : int { off, installing, on };

constinit std::atomic<phase> reporting{phase::off};
struct sigaction previous;  // written before `on`
pthread_key_t exit_key;
constinit thread_local bool prepared = false;

void unmap_signal_stack(void* memory) noexcept {
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
  munmap(memory, signal_stack_size);
}

void report(running_guard const& guard) noexcept {
  std::array<char, 200> text;
  base::bounded_text out{text};
  (out << "a task ran over the end of its stack of ").number(guard.stack_size)
      << " bytes: give it more with task_options::stack_size";
  base::raw_message(text.data());
}

/// Calls the handler that was installed before this one.
void pass_on(int signal, siginfo_t* info, void* context) noexcept {
  if ((previous.sa_flags & SA_SIGINFO) != 0 && previous.sa_sigaction != nullptr) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
  } else {
    // A fault cannot be ignored. Back at the instruction, it ends the process with its signal; one
    // that was sent by kill has no instruction.
    sigaction(SIGSEGV, &previous, nullptr);
    if (info->si_code <= 0) raise(SIGSEGV);
  }
}

void on_fault(int signal, siginfo_t* info, void* context) noexcept {
  const running_guard guard = guard_in_use;
  const auto* const address = static_cast<char const*>(info->si_addr);
  if (info->si_code > 0 && guard.low != nullptr && address >= guard.low && address < guard.high) {
    report(guard);
  }
  pass_on(signal, info, context);
}

bool install() noexcept {
  if (pthread_key_create(&exit_key, &unmap_signal_stack) != 0) return false;
  if (sigaction(SIGSEGV, nullptr, &previous) != 0) return false;
  struct sigaction ours {};
  ours.sa_sigaction = &on_fault;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  return sigaction(SIGSEGV, &ours, nullptr) == 0;
}

}  // namespace

void prepare_thread_for_overflow() noexcept {
  if (reporting.load(std::memory_order_acquire) != phase::on || prepared) return;
  prepared = true;
  stack_t current{};
  if (sigaltstack(nullptr, &current) != 0 || (current.ss_flags & SS_DISABLE) == 0) return;
  void* const memory = base::map_pages(signal_stack_size);
  if (memory == nullptr) return;
  current = {};
  current.ss_sp = memory;
  current.ss_size = signal_stack_size;
  if (sigaltstack(&current, nullptr) != 0 || pthread_setspecific(exit_key, memory) != 0) {
    unmap_signal_stack(memory);
  }
}

}  // namespace memprof::fiber

namespace memprof::inline v0 {

bool report_stack_overflows() noexcept {
  using fiber::phase;
  phase seen = phase::off;
  if (!fiber::reporting.compare_exchange_strong(seen, phase::installing,
                                                std::memory_order_acq_rel)) {
    return true;  // done, or being done by another thread
  }
  const bool installed = fiber::install();
  fiber::reporting.store(installed ? phase::on : phase::off, std::memory_order_release);
  return installed;
}

}  // namespace memprof::inline v0
