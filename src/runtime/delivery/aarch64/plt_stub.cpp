// SPDX-License-Identifier: MIT
#if defined(__aarch64__)

#include "delivery/aarch64/code.hpp"
#include "delivery/reader/call_target.hpp"

namespace memprof::delivery {

// bti? adrp x16, page; ldr x17, [x16, #]; add x16, x16, #; (autia)? br x17
std::uintptr_t slot_of_stub(module_code const& module, std::uintptr_t address) noexcept {
  using namespace aarch64;
  if (address % instruction_size != 0) return 0;
  known_registers registers;
  registers.reset();
  std::uintptr_t slot = 0;  // as autia1716 changes the register
  for (int n = 0; n < 6; ++n, address += instruction_size) {
    if (module.code_at(address) < instruction_size) return 0;
    const std::uint32_t code = word_at(address);
    const instruction i = decode(code, address);
    if (i.what == op::jump && i.target == 0) return i.through == 17 ? slot : 0;
    if (i.what != op::other) return 0;
    registers.execute(code, address);
    const auto loaded = registers.in(17);
    if (loaded.what == known_registers::contents::kind::in_slot) slot = loaded.bits;
  }
  return 0;
}

}  // namespace memprof::delivery

#endif
