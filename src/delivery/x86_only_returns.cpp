// SPDX-License-Identifier: MIT
#if defined(__x86_64__)

#include <array>
#include <cstddef>

#include "delivery/call_target.hpp"
#include "delivery/only_returns.hpp"
#include "delivery/x86_decoder.hpp"

namespace memprof::delivery {
namespace {

using x86::op;

/// Changes nothing but registers and flags. Of what the decoder does not follow nothing is known: a
/// mode of the processor may be set back there.
bool stays_in_registers(x86::instruction const& i) noexcept {
  using form = x86::operand::form;
  switch (i.what) {
    case op::cmp:
    case op::test:
    case op::leave:
      return true;
    case op::push:
      return false;
    case op::other:  // nops, and computations with vectors
      return i.keeps_flags && i.to.kind == form::none && i.clobbers == 0 && !i.writes_memory &&
             !i.writes_anything;
    default:
      return i.to.kind == form::reg || i.to.kind == form::high_byte;
  }
}

}  // namespace

bool only_returns(module_code const& module, callstack::procedure const& p,
                  std::uintptr_t address) noexcept {
  constexpr unsigned most_instructions = 64;
  std::array<std::uintptr_t, 8> waiting;  // the other sides of branches
  std::size_t waiting_count = 0;
  std::uintptr_t at = address;
  for (unsigned n = 0; n < most_instructions; ++n) {
    x86::instruction i;
    if (at < p.begin || at >= p.end ||
        !x86::decode(reinterpret_cast<unsigned char const*>(at), module.code_at(at), at, i)) {
      return false;
    }
    const std::uintptr_t next = at + i.length;
    bool path_ends = false;
    switch (i.what) {
      case op::ret:
        path_ends = true;
        break;
      case op::call:  // of the check of the stack, which fails in a broken program only
        if (i.target == 0 || target_at(module, i.target).function != runtime_function::ignored) {
          return false;
        }
        path_ends = true;
        break;
      case op::jump:
        if (i.target == 0) return false;
        at = i.target;
        continue;
      case op::jump_if:
        if (waiting_count == waiting.size()) return false;
        waiting[waiting_count++] = i.target;
        break;
      case op::jump_unclear:
      case op::trap:
        return false;
      default:
        if (!stays_in_registers(i)) return false;
        break;
    }
    if (!path_ends) {
      at = next;
      continue;
    }
    if (waiting_count == 0) return true;
    at = waiting[--waiting_count];
  }
  return false;
}

}  // namespace memprof::delivery

#endif
