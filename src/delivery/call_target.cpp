// SPDX-License-Identifier: MIT
#include "delivery/call_target.hpp"

#include <cstring>

#include "delivery/x86_decoder.hpp"

namespace memprof::delivery {
namespace {

/// If there is a stub of the PLT at `address`, `endbr64? (bnd) jmp *slot(%rip)`, its slot; else 0.
std::uintptr_t slot_of_stub(module_code const& module, std::uintptr_t address) noexcept {
  x86::instruction i;
  for (int n = 0; n < 2; ++n) {
    auto const* const code = reinterpret_cast<unsigned char const*>(address);
    if (!x86::decode(code, module.code_at(address), address, i)) return 0;
    if (i.what == x86::op::jump && i.target == 0) break;
    const bool endbr64 = i.length == 4 && std::memcmp(code, "\xf3\x0f\x1e\xfa", 4) == 0;
    if (!endbr64) return 0;
    address += i.length;
  }
  const bool through_slot = i.what == x86::op::jump && i.to.kind == x86::operand::form::mem &&
                            i.to.base == x86::no_register && i.to.index == x86::no_register &&
                            !i.to.opaque;
  return through_slot ? static_cast<std::uintptr_t>(i.to.value) : 0;
}

}  // namespace

call_target target_in_slot(module_code const& module, std::uintptr_t slot) noexcept {
  if (slot % sizeof(std::uintptr_t) != 0 || !module.is_readable(slot, sizeof(std::uintptr_t))) {
    return {};
  }
  // The loader may be binding it just now; either value will do.
  const std::uintptr_t bound =
      __atomic_load_n(reinterpret_cast<std::uintptr_t const*>(slot), __ATOMIC_RELAXED);
  call_target target{runtime_function_at(bound), 0};
  if (target.function != runtime_function::none) return target;
  target.function = runtime_function_named(module.function_behind(slot));
  // A slot not yet bound points into the PLT, from where nothing can be followed: harmless.
  if (module.code_at(bound) != 0) target.local = bound;
  return target;
}

call_target target_at(module_code const& module, std::uintptr_t address) noexcept {
  const call_target here{runtime_function_at(address), address};
  if (here.function != runtime_function::none) return here;
  if (const std::uintptr_t slot = slot_of_stub(module, address); slot != 0) {
    return target_in_slot(module, slot);
  }
  return module.code_at(address) != 0 ? here : call_target{};
}

}  // namespace memprof::delivery
