// SPDX-License-Identifier: MIT
#if defined(__aarch64__)

#include "delivery/aarch64/pad.hpp"

namespace memprof::delivery::aarch64 {
namespace {

constexpr unsigned instructions_for_aarch64_pad = 20'000;

}  // namespace

class pad_reader::visitor final : public flow_visitor {
 public:
  visitor(callee_reader& callees, module_code const& module, landing const& entry, thrown type,
          pad_outcomes& ends, arrivals& next) noexcept
      : callees_(callees),
        module_(module),
        type_(type),
        // Selector 0: no handler of the frame takes it, whatever else begins at this pad.
        cleanup_(entry.selector_known && entry.selector == 0),
        ends_(ends),
        arriving_(next) {}

  bool call(call_target const& target, std::uintptr_t next, bool& handling) noexcept override {
    callee_facts facts;
    switch (target.function) {
      case runtime_function::resume:
      case runtime_function::begin_catch:
        // A handler gets to neither: this is the code behind a call that does not return.
        if (handling) {
          ends_.unclear = true;
          return false;
        }
        if (target.function == runtime_function::resume) {
          arrive(next, type_);
          return false;
        }
        handling = true;
        return !cleanup_;
      case runtime_function::end_catch:
        // Before __cxa_begin_catch it ends the handler that the frame was in already.
        if (handling) ends_.swallows = true;
        return !handling;
      case runtime_function::terminate:
      case runtime_function::thread_destructor:
        ends_.terminates = true;
        return false;
      case runtime_function::exit:
        ends_.exits = true;
        return false;
      case runtime_function::ignored:
        return false;
      case runtime_function::unclear:
        ends_.unclear = true;
        return false;
      case runtime_function::rethrow:
        facts.rethrows = true;
        break;
      case runtime_function::throw_new:
        facts.throws = true;
        break;
      case runtime_function::harmless:
      case runtime_function::none:
        facts.returns = true;
        if (target.function == runtime_function::none && target.local != 0) {
          facts = callees_.examine(module_, target.local);
        }
        break;
    }
    return after(facts, next, handling);
  }

  void tail_call(call_target const& target, std::uintptr_t next, bool handling) noexcept override {
    switch (target.function) {
      case runtime_function::none:
      case runtime_function::harmless:
      case runtime_function::resume:
      case runtime_function::begin_catch:
        ends_.unclear = true;
        return;  // the frame returns
      case runtime_function::rethrow:
        // This frame is gone already.
        (handling ? ends_.passes : ends_.unclear) = true;
        return;
      case runtime_function::throw_new:
        (handling ? ends_.translates : ends_.unclear) = true;
        return;
      case runtime_function::end_catch:
        (handling ? ends_.swallows : ends_.unclear) = true;
        return;
      default:
        call(target, next, handling);
        return;
    }
  }

  void returns() noexcept override { ends_.unclear = true; }
  void traps() noexcept override { ends_.exits = true; }
  void runs_off() noexcept override { ends_.unclear = true; }
  void too_much() noexcept override { ends_.unclear = true; }

 private:
  /// An exception leaves the call before `next`.
  void arrive(std::uintptr_t next, thrown type) noexcept {
    if (!arriving_.add({next - 1, type})) ends_.unclear = true;
  }

  /// A call that does this; false if the path ends there.
  bool after(callee_facts const& facts, std::uintptr_t next, bool handling) noexcept {
    if (facts.terminates) ends_.terminates = true;
    if (facts.unclear) ends_.unclear = true;
    if (facts.rethrows && handling) arrive(next, type_);
    if (facts.returns) return true;
    if (facts.exits) ends_.exits = true;
    if (facts.rethrows && !handling) ends_.unclear = true;
    if (!facts.throws) return false;
    if (handling) {
      arrive(next, thrown::anything);
      return false;
    }
    // A new exception while this one is in flight: in a cleanup, which must not let it out. If it
    // cannot be caught either, this is a check that never fails, like an assert.
    callstack::procedure p;
    const bool none = callstack::find_procedure(next - 1, p) &&
                      find_landing(p, next - 1, thrown::anything).where == landing::place::gap;
    (none ? ends_.exits : ends_.unclear) = true;
    return false;
  }

  callee_reader& callees_;
  module_code const& module_;
  thrown type_;
  bool cleanup_;
  pad_outcomes& ends_;
  arrivals& arriving_;
};

void pad_reader::reset() noexcept {
  callees_.reset();
  instructions_left_ = instructions_for_aarch64_pad;
}

void pad_reader::read(module_code const& module, landing const& entry, thrown type,
                      pad_outcomes& ends, arrivals& next) noexcept {
  visitor v{callees_, module, entry, type, ends, next};
  flow_.follow(module, entry.address, instructions_left_, v);
}

}  // namespace memprof::delivery::aarch64

#endif
