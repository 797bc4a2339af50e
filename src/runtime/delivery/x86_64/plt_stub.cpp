// SPDX-License-Identifier: MIT
#if defined(__x86_64__)

#include <cstring>

#include "delivery/reader/call_target.hpp"
#include "delivery/x86_64/decoder.hpp"

namespace memprof::delivery {

// endbr64? (bnd) jmp *slot(%rip)
std::uintptr_t slot_of_stub(module_code const& module, std::uintptr_t address) noexcept {
  x86_64::instruction i;
  for (int n = 0; n < 2; ++n) {
    auto const* const code = reinterpret_cast<unsigned char const*>(address);
    if (!x86_64::decode(code, module.code_at(address), address, i)) return 0;
    if (i.what == x86_64::op::jump && i.target == 0) break;
    const bool endbr64 = i.length == 4 && std::memcmp(code, "\xf3\x0f\x1e\xfa", 4) == 0;
    if (!endbr64) return 0;
    address += i.length;
  }
  const bool through_slot = i.what == x86_64::op::jump && i.to.kind == x86_64::operand::form::mem &&
                            i.to.base == x86_64::no_register && i.to.index == x86_64::no_register &&
                            !i.to.opaque;
  return through_slot ? static_cast<std::uintptr_t>(i.to.value) : 0;
}

}  // namespace memprof::delivery

#endif
