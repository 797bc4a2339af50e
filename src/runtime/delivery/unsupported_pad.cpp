// SPDX-License-Identifier: MIT
#if !defined(__x86_64__) && !defined(__aarch64__)

#include "delivery/unsupported_pad.hpp"

#include "delivery/reader/call_target.hpp"
#include "delivery/reader/only_returns.hpp"

namespace memprof::delivery {

std::uintptr_t slot_of_stub(module_code const& /*module*/, std::uintptr_t /*address*/) noexcept {
  return 0;
}

return_step return_step_at(module_code const& /*module*/, std::uintptr_t /*address*/) noexcept {
  return {};
}

}  // namespace memprof::delivery

#endif
