// SPDX-License-Identifier: MIT
#include "delivery/reader/only_returns.hpp"

#include <cstdint>

#include "base/base.hpp"
#include "delivery/reader/call_target.hpp"
#include "delivery/reader/this_processor.hpp"

namespace memprof::delivery {

bool only_returns(module_code const& module, callstack::procedure const& p,
                  std::uintptr_t address) noexcept {
  constexpr unsigned most_instructions = 64;
  base::bounded_list<std::uintptr_t, 8> waiting;  // the other sides of branches
  std::uintptr_t at = address;
  for (unsigned n = 0; n < most_instructions; ++n) {
    processor::instruction i;
    if (at < p.begin || at >= p.end || !processor::decode(module, at, i)) return false;
    at += i.length;
    switch (processor::control_of(i)) {
      case control::next:
        if (!processor::stays_in_registers(i)) return false;
        break;
      case control::jump:
        if (i.target == 0) return false;
        at = i.target;
        break;
      case control::branch:
        if (!waiting.push(i.target)) return false;
        break;
      case control::call:  // of the check of the stack, which fails in a broken program only
        if (i.target == 0 || target_at(module, i.target).function != runtime_function::ignored) {
          return false;
        }
        [[fallthrough]];
      case control::ret:
        if (!waiting.pop(at)) return true;
        break;
      case control::trap:
        return false;
    }
  }
  return false;
}

}  // namespace memprof::delivery
