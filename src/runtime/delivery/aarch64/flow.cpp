// SPDX-License-Identifier: MIT
#if defined(__aarch64__)

#include "delivery/aarch64/flow.hpp"

#include "callstack/callstack.hpp"

namespace memprof::delivery::aarch64 {

struct flow::reading {
  module_code const& module;
  unsigned& instructions_left;
  flow_visitor& visitor;

  /// Where a jump or call goes: an address, or the slot that it goes through; 0: not known.
  struct destination {
    std::uintptr_t address = 0;
    std::uintptr_t slot = 0;
  };
  [[nodiscard]] static destination of(instruction const& i,
                                      known_registers const& registers) noexcept {
    if (i.target != 0) return {i.target, 0};
    const auto c = registers.in(i.through);
    if (c.what == known_registers::contents::kind::address) return {c.bits, 0};
    if (c.what == known_registers::contents::kind::in_slot) return {0, c.bits};
    return {};
  }
  [[nodiscard]] call_target target_of(destination const& d) const noexcept {
    if (d.slot != 0) return target_in_slot(module, d.slot);
    return d.address != 0 ? target_at(module, d.address) : call_target{};
  }
};

void flow::follow(module_code const& module, std::uintptr_t from, unsigned& instructions_left,
                  flow_visitor& visitor) noexcept {
  const reading r{module, instructions_left, visitor};
  entries_.reset();
  entries_.add({from, false});
  for (place entry; entries_.take(entry);) {
    callstack::procedure p;
    if (!callstack::find_procedure(entry.address, p) || module.code_at(p.begin) < p.end - p.begin ||
        entry.address % instruction_size != 0) {
      visitor.runs_off();
      continue;
    }
    if (!region_.open(p.begin, p.end)) {
      visitor.too_much();
      return;
    }
    region_.reach(entry);
    for (place at; region_.take(at);) {
      read_from(r, at);
      if (instructions_left == 0) return;
    }
  }
}

void flow::read_from(reading const& r, place at) noexcept {
  registers_.reset();
  for (;; at.address += instruction_size) {
    if (!region_.contains(at.address)) return r.visitor.runs_off();
    if (!region_.begin_reading(at)) return;
    if (r.instructions_left == 0 || --r.instructions_left == 0) return r.visitor.too_much();
    const std::uint32_t code = word_at(at.address);
    const instruction i = decode(code, at.address);
    switch (i.what) {
      case op::ret:
        return r.visitor.returns();
      case op::trap:
        return r.visitor.traps();
      case op::jump:
        return transfer(r, i, at);
      case op::jump_if:
        transfer(r, i, at);
        break;
      case op::call:
        if (!r.visitor.call(r.target_of(reading::of(i, registers_)), at.address + instruction_size,
                            at.handling)) {
          return;
        }
        registers_.after_call();
        break;
      case op::other:
        registers_.execute(code, at.address);
        break;
    }
  }
}

void flow::transfer(reading const& r, instruction const& jump, place at) noexcept {
  const reading::destination to = reading::of(jump, registers_);
  if (region_.contains(to.address)) return region_.reach({to.address, at.handling});
  const call_target target = r.target_of(to);
  const bool other_part =
      to.address != 0 && target.local == to.address && target.function == runtime_function::none;
  if (!other_part) {
    return r.visitor.tail_call(target, at.address + instruction_size, at.handling);
  }
  if (!entries_.add({to.address, at.handling})) r.visitor.too_much();
}

}  // namespace memprof::delivery::aarch64

#endif
