// SPDX-License-Identifier: MIT
/// \file
/// x86-64 as the reader sees it: values of registers and stack are followed through landing pads,
/// so that most branches, and with them the handlers, are decided.
#pragma once

#include "delivery/processor.hpp"
#include "delivery/x86_64/decoder.hpp"
#include "delivery/x86_64/execution.hpp"
#include "delivery/x86_64/machine_state.hpp"

namespace memprof::delivery::x86_64 {

struct processor {
  using instruction = x86_64::instruction;
  using values = machine_state;
  /// Nothing: a call through a slot names it, and what registers hold is followed in pads only.
  struct run_values {
    void forget() noexcept {}
    void after_call() noexcept {}
  };

  // For each instruction that is read: inline.
  static bool decode(module_code const& module, std::uintptr_t address, instruction& i) noexcept {
    return x86_64::decode(reinterpret_cast<unsigned char const*>(address), module.code_at(address),
                          address, i);
  }
  static control control_of(instruction const& i) noexcept {
    switch (i.what) {
      case op::call:
        return control::call;
      case op::jump:
        return control::jump;
      case op::jump_if:
      case op::jump_unclear:
        return control::branch;
      case op::ret:
        return control::ret;
      case op::trap:
        return control::trap;
      default:
        return control::next;
    }
  }
  static void execute(instruction const& i, module_code const& module, values& v) noexcept {
    x86_64::execute(i, module, v);
  }

  static std::optional<bool> is_taken(instruction const& branch, values& v) noexcept;
  static destination destination_of(instruction const& i, module_code const& module,
                                    values const& v) noexcept;

  static void execute(instruction const& /*i*/, run_values& /*v*/) noexcept {}
  static destination destination_of(instruction const& i, run_values const& v) noexcept;

  static std::uintptr_t slot_of_stub(module_code const& module, std::uintptr_t address) noexcept;
  static bool stays_in_registers(instruction const& i) noexcept;
};

}  // namespace memprof::delivery::x86_64
