// SPDX-License-Identifier: MIT
#include "delivery/reader/call_target.hpp"

#include "delivery/reader/this_processor.hpp"

namespace memprof::delivery {

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
  // A slot that is not bound yet points into the PLT, from where nothing can be followed: harmless.
  if (module.code_at(bound) != 0) target.local = bound;
  return target;
}

call_target target_at(module_code const& module, std::uintptr_t address) noexcept {
  const call_target here{runtime_function_at(address), address};
  if (here.function != runtime_function::none) return here;
  if (const std::uintptr_t slot = processor::slot_of_stub(module, address); slot != 0) {
    return target_in_slot(module, slot);
  }
  return module.code_at(address) != 0 ? here : call_target{};
}

call_target target_of(module_code const& module, destination const& to) noexcept {
  if (to.address != 0) return target_at(module, to.address);
  return to.slot != 0 ? target_in_slot(module, to.slot) : call_target{};
}

}  // namespace memprof::delivery
