// SPDX-License-Identifier: MIT
/// \file
/// A processor whose code is not read: no landing pad is understood. (No frame is walked there
/// either, see callstack/processor.hpp.)
#pragma once

#include "delivery/processor.hpp"

namespace memprof::delivery {

struct unsupported_processor {
  struct instruction {
    std::uint8_t length = 0;
    std::uintptr_t target = 0;
  };
  struct values {
    void enter_pad(std::optional<std::int32_t> /*selector*/) noexcept {}
    void after_call() noexcept {}
    bool join(values const& /*other*/) noexcept { return false; }
    [[nodiscard]] bool may_be_caught() const noexcept { return true; }
  };
  struct run_values {
    void forget() noexcept {}
    void after_call() noexcept {}
  };

  static bool decode(module_code const&, std::uintptr_t, instruction&) noexcept { return false; }
  static control control_of(instruction const&) noexcept { return control::trap; }
  static void execute(instruction const&, module_code const&, values&) noexcept {}
  static std::optional<bool> is_taken(instruction const&, values&) noexcept { return {}; }
  static destination destination_of(instruction const&, module_code const&,
                                    values const&) noexcept {
    return {};
  }
  static void execute(instruction const&, run_values&) noexcept {}
  static destination destination_of(instruction const&, run_values const&) noexcept { return {}; }
  static std::uintptr_t slot_of_stub(module_code const&, std::uintptr_t) noexcept { return 0; }
  static bool stays_in_registers(instruction const&) noexcept { return false; }
};

}  // namespace memprof::delivery
