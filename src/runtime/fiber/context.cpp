// SPDX-License-Identifier: MIT
#include "fiber/context.hpp"

#include <boost/context/fiber.hpp>
#include <cerrno>
#include <new>
#include <utility>

#include "base/base.hpp"

// The sanitizers' functions, if one is in the program; else null. Looked for at run time, so that a
// library that was compiled without works in a program that was compiled with.
extern "C" {
[[gnu::weak]] void __sanitizer_start_switch_fiber(void** fake_stack_save, void const* bottom,
                                                  std::size_t size);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void* fake_stack_save, void const** bottom_old,
                                                   std::size_t* size_old);
[[gnu::weak]] void* __tsan_get_current_fiber();
[[gnu::weak]] void* __tsan_create_fiber(unsigned flags);
[[gnu::weak]] void __tsan_destroy_fiber(void* fiber);
[[gnu::weak]] void __tsan_switch_to_fiber(void* fiber, unsigned flags);
}

namespace memprof::fiber {

constinit thread_local running_guard guard_in_use;

namespace {

// __cxa_get_globals is declared const, so a compiler may keep its result across a switch, after
// which this may be another thread. Hence these: not inlined, and with an effect.
[[gnu::noinline]] exception_state* exceptions_of_this_thread() noexcept {
  asm volatile("" ::: "memory");
  return reinterpret_cast<exception_state*>(abi::__cxa_get_globals());
}

[[gnu::noinline]] int& errno_of_this_thread() noexcept {
  asm volatile("" ::: "memory");
  return errno;
}

[[gnu::noinline]] running_guard& guard_of_this_thread() noexcept {
  asm volatile("" ::: "memory");
  return guard_in_use;
}

/// The stack belongs to the creator of the context; its top is used for the context itself.
struct given_stack {
  stack s;
  std::size_t taken;
  boost::context::stack_context allocate() noexcept {
    boost::context::stack_context described;
    described.sp = s.top() - taken;
    described.size = s.size - taken;
    return described;
  }
  void deallocate(boost::context::stack_context&) noexcept {}
};

}  // namespace

struct context::switching {
  stack own{};
  entry_function entry = nullptr;
  void* argument = nullptr;
  boost::context::fiber inside{};   ///< empty while it runs, and after its end
  boost::context::fiber outside{};  ///< the caller of `enter`, while it runs
  exception_state exceptions{};
  // AddressSanitizer and ThreadSanitizer
  void* fake_stack = nullptr;
  void const* outer_bottom = nullptr;
  std::size_t outer_size = 0;
  void* thread_inside = nullptr;
  void* thread_outside = nullptr;

  /// On the stack, after each switch to it.
  void arrived() noexcept {
    if (__sanitizer_finish_switch_fiber != nullptr) {
      __sanitizer_finish_switch_fiber(fake_stack, &outer_bottom, &outer_size);
    }
  }
  /// On the stack, before each switch from it.
  void leaving(bool for_good) noexcept {
    if (__sanitizer_start_switch_fiber != nullptr) {
      __sanitizer_start_switch_fiber(for_good ? nullptr : &fake_stack, outer_bottom, outer_size);
    }
    if (__tsan_switch_to_fiber != nullptr) __tsan_switch_to_fiber(thread_outside, 0);
  }
};

context::context(stack const& s, entry_function entry, void* argument) noexcept {
  constexpr std::size_t taken = (sizeof(switching) + 63) & ~std::size_t{63};
  switching* const self = ::new (static_cast<void*>(s.top() - taken)) switching;
  self->own = s;
  self->entry = entry;
  self->argument = argument;
  self->inside = boost::context::fiber(std::allocator_arg, given_stack{s, taken},
                                       [self](boost::context::fiber&& outside) {
                                         self->outside = std::move(outside);
                                         self->arrived();
                                         self->entry(self->argument);
                                         self->leaving(true);
                                         return std::move(self->outside);
                                       });
  if (__tsan_create_fiber != nullptr) self->thread_inside = __tsan_create_fiber(0);
  switching_ = self;
}

bool context::enter() noexcept {
  switching& self = *switching_;
  const int saved_errno = errno_of_this_thread();
  const running_guard outer_guard = guard_of_this_thread();
  if (self.own.guard != 0) {
    guard_of_this_thread() = {self.own.low - self.own.guard, self.own.low, self.own.size};
  }
  const exception_state outer = *exceptions_of_this_thread();
  *exceptions_of_this_thread() = self.exceptions;
  void* outer_fake_stack = nullptr;
  if (__sanitizer_start_switch_fiber != nullptr) {
    __sanitizer_start_switch_fiber(&outer_fake_stack, self.own.low, self.own.size);
  }
  if (__tsan_switch_to_fiber != nullptr) {
    self.thread_outside = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(self.thread_inside, 0);
  }
  self.inside = std::move(self.inside).resume();
  if (__sanitizer_finish_switch_fiber != nullptr) {
    __sanitizer_finish_switch_fiber(outer_fake_stack, nullptr, nullptr);
  }
  self.exceptions = *exceptions_of_this_thread();
  *exceptions_of_this_thread() = outer;
  guard_of_this_thread() = outer_guard;
  errno_of_this_thread() = saved_errno;
  if (self.inside) return false;
  if (__tsan_destroy_fiber != nullptr) __tsan_destroy_fiber(self.thread_inside);
  switching_->~switching();
  switching_ = nullptr;
  return true;
}

void context::leave() noexcept {
  const int saved_errno = errno_of_this_thread();
  switching& self = *switching_;
  self.leaving(false);
  self.outside = std::move(self.outside).resume();
  self.arrived();
  errno_of_this_thread() = saved_errno;
}

}  // namespace memprof::fiber
