// SPDX-License-Identifier: MIT
#if defined(__x86_64__)

#include "delivery/reader/only_returns.hpp"
#include "delivery/x86_64/decoder.hpp"

namespace memprof::delivery {
namespace {

using x86_64::op;

/// Changes nothing but registers and flags. Of what the decoder does not follow nothing is known: a
/// mode of the processor may be set back there.
bool stays_in_registers(x86_64::instruction const& i) noexcept {
  using form = x86_64::operand::form;
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

return_step return_step_at(module_code const& module, std::uintptr_t address) noexcept {
  using kind = return_step::kind;
  x86_64::instruction i;
  if (!x86_64::decode(reinterpret_cast<unsigned char const*>(address), module.code_at(address),
                      address, i)) {
    return {};
  }
  switch (i.what) {
    case op::ret:
      return {kind::returns, i.length, 0};
    case op::call:  // through a register or slot: of somebody unknown
      return {i.target == 0 ? kind::more : kind::calls, i.length, i.target};
    case op::jump:
      return {i.target == 0 ? kind::more : kind::jumps, i.length, i.target};
    case op::jump_if:
      return {kind::branches, i.length, i.target};
    case op::jump_unclear:
    case op::trap:
      return {};
    default:
      return {stays_in_registers(i) ? kind::stays : kind::more, i.length, 0};
  }
}

}  // namespace memprof::delivery

#endif
