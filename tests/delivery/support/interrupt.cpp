// SPDX-License-Identifier: MIT
#include "support/interrupt.hpp"

#include <cxxabi.h>
#include <exception>
#include <malloc.h>
#include <new>

#include "memprof/interrupted.hpp"

#include "support/state.hpp"

namespace memprof::test {
namespace {

thread_local constinit boundary const* innermost = nullptr;

/// Makes a boundary the innermost one for as long as it lives.
class entered {
 public:
  explicit entered(boundary const& here) noexcept : outer_(innermost) { innermost = &here; }
  ~entered() { innermost = outer_; }
  entered(entered const&) = delete;
  entered& operator=(entered const&) = delete;

 private:
  boundary const* outer_;
};

}  // namespace

boundary const* current_boundary() noexcept {
  return innermost != nullptr ? innermost : state.of_body.load();
}

// Built as detail::run of the library is: not inlined, the task called through a pointer, the
// object in this very frame.
[[gnu::noinline]] bool in_boundary(void (*task)(void*), void* context) {
  boundary const here{std::uncaught_exceptions(), innermost};
  entered const in{here};
  if (here.outer == nullptr && state.of_body == nullptr) state.of_body = &here;
  try {
    task(context);
  } catch (limit_exceeded const&) {
    state.reached = &here;
    return true;
#ifdef __GLIBCXX__
  } catch (abi::__forced_unwind&) {
    throw;
#endif
  }
  return false;
}

void const* boundary_code() noexcept {
  return reinterpret_cast<void const*>(static_cast<bool (*)(void (*)(void*), void*)>(in_boundary));
}

[[gnu::noinline]] void allocate(std::size_t size) { ::operator delete(::operator new(size)); }

void interrupt_next(unsigned n) noexcept {
  if (!state.by_ordinal) state.countdown = n;
}

[[gnu::noinline]] void interruption() {
  interrupt_next();
  allocate();
}

int& witness::alive() noexcept {
  static constinit int n = 0;
  return n;
}

void check_afterwards(bool (*ok)()) noexcept { state.check = ok; }
void may_leave_blocks() noexcept { state.leaves_blocks = true; }

std::size_t malloc_in_use() noexcept {
  auto const info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

}  // namespace memprof::test
