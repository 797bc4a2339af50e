// SPDX-License-Identifier: MIT
#include "delivery/delivery.hpp"

#include <clocale>
#include <exception>

#include "callstack/callstack.hpp"
#include "delivery/decide/caught_exceptions.hpp"
#include "delivery/decide/code_facts.hpp"
#include "delivery/decide/delivery_overrides.hpp"
#include "modules/modules.hpp"

namespace memprof::delivery {

void enter_limit_function(void const* code) noexcept {
  set_limit_function(reinterpret_cast<std::uintptr_t>(code));
}

bool needs_memory(std::uintptr_t return_address) noexcept {
  code_facts code;
  const std::uintptr_t call = callstack::detail::without_signature(return_address) - 1;
  return !facts_at(call, code) || code.needs_memory;
}

bool in_c_library(std::uintptr_t return_address) noexcept {
  return modules::in_one_module(callstack::detail::without_signature(return_address) - 1,
                                reinterpret_cast<std::uintptr_t>(&std::setlocale));
}

[[gnu::noinline]] decision decide(attempt const& a) noexcept {
  if (a.masked) return {.reason = "inside a masked region"};
  // A second exception during unwinding ends in std::terminate. More than at entry, not more than
  // zero: a whole task may run in a destructor during unwinding.
  if (std::uncaught_exceptions() > a.uncaught_at_entry) {
    return {.reason = "while another exception is in flight"};
  }
  if (holds_foreign_exception()) {
    return {.reason = "in a handler of a foreign exception or of thread cancellation"};
  }
  return preflight(a);
}

}  // namespace memprof::delivery
