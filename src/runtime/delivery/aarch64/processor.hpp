// SPDX-License-Identifier: MIT
/// \file
/// AArch64 as the reader sees it: a branch is decided if it depends on the selector, in registers;
/// else both sides are followed. What it misses x86-64 misses, too; what it adds are ends that do
/// not happen, and refusals.
#pragma once

#include "delivery/aarch64/decoder.hpp"
#include "delivery/aarch64/known_registers.hpp"
#include "delivery/processor.hpp"

namespace memprof::delivery::aarch64 {

struct processor {
  using instruction = aarch64::instruction;
  using values = pad_registers;
  using run_values = known_registers;

  static bool decode(module_code const& module, std::uintptr_t address, instruction& i) noexcept;
  static control control_of(instruction const& i) noexcept;

  static void execute(instruction const& i, module_code const& /*module*/, values& v) noexcept {
    execute(i, v);
  }
  static std::optional<bool> is_taken(instruction const& branch, values& v) noexcept {
    return v.is_taken(branch.code);
  }
  static destination destination_of(instruction const& i, module_code const& /*module*/,
                                    values const& v) noexcept {
    return destination_of(i, v);
  }

  static void execute(instruction const& i, run_values& v) noexcept {
    v.execute(i.code, i.address);
  }
  static destination destination_of(instruction const& i, run_values const& v) noexcept;

  static std::uintptr_t slot_of_stub(module_code const& module, std::uintptr_t address) noexcept;
  static bool stays_in_registers(instruction const& i) noexcept;
};

}  // namespace memprof::delivery::aarch64
