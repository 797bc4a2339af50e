// SPDX-License-Identifier: MIT
#include "delivery/reader/only_returns.hpp"

#include <array>
#include <cstddef>

#include "delivery/reader/call_target.hpp"

namespace memprof::delivery {

bool only_returns(module_code const& module, callstack::procedure const& p,
                  std::uintptr_t address) noexcept {
  using kind = return_step::kind;
  constexpr unsigned most_instructions = 64;
  std::array<std::uintptr_t, 8> waiting;  // the other sides of branches
  std::size_t waiting_count = 0;
  std::uintptr_t at = address;
  for (unsigned n = 0; n < most_instructions; ++n) {
    if (at < p.begin || at >= p.end) return false;
    const return_step step = return_step_at(module, at);
    at += step.length;
    switch (step.what) {
      case kind::more:
        return false;
      case kind::stays:
        break;
      case kind::jumps:
        at = step.target;
        break;
      case kind::branches:
        if (waiting_count == waiting.size()) return false;
        waiting[waiting_count++] = step.target;
        break;
      case kind::calls:  // of the check of the stack, which fails in a broken program only
        if (target_at(module, step.target).function != runtime_function::ignored) return false;
        [[fallthrough]];
      case kind::returns:
        if (waiting_count == 0) return true;
        at = waiting[--waiting_count];
        break;
    }
  }
  return false;
}

}  // namespace memprof::delivery
