// SPDX-License-Identifier: MIT
#if defined(__aarch64__)

#include "delivery/aarch64/callee.hpp"

#include <algorithm>

namespace memprof::delivery::aarch64 {
namespace {

constexpr unsigned instructions_for_a_call = 10'000;
constexpr unsigned instructions_for_aarch64_callee = 60'000;

}  // namespace

class callee_reader::visitor final : public flow_visitor {
 public:
  visitor(callee_reader& reader, module_code const& module, unsigned levels) noexcept
      : reader_(reader), module_(module), levels_(levels) {}

  bool call(call_target const& target, std::uintptr_t next, bool& /*handling*/) noexcept override {
    return goes_on(target, next);
  }
  void tail_call(call_target const& target, std::uintptr_t next,
                 bool /*handling*/) noexcept override {
    if (goes_on(target, next)) facts_.returns = true;
  }
  void returns() noexcept override { facts_.returns = true; }
  void traps() noexcept override { facts_.exits = true; }
  void runs_off() noexcept override { facts_.returns = true; }
  void too_much() noexcept override { facts_.returns = reader_.cut_short_ = true; }

  [[nodiscard]] callee_facts const& facts() const noexcept { return facts_; }

 private:
  bool goes_on(call_target const& target, std::uintptr_t next) noexcept {
    switch (target.function) {
      case runtime_function::terminate:
      case runtime_function::thread_destructor:
        facts_.terminates = true;
        return false;
      case runtime_function::rethrow:
        leave_by(thrown::limit, landing_of_call(thrown::limit, next).where, facts_);
        return false;
      case runtime_function::throw_new:
        leave_by(thrown::anything, landing_of_call(thrown::anything, next).where, facts_);
        return false;
      case runtime_function::exit:
        facts_.exits = true;
        return false;
      case runtime_function::resume:
      case runtime_function::ignored:
        return false;
      case runtime_function::unclear:
        facts_.unclear = true;
        return false;
      case runtime_function::begin_catch:
      case runtime_function::end_catch:
      case runtime_function::harmless:
        return true;
      case runtime_function::none:
        break;
    }
    if (target.local == 0) return true;
    const callee_facts inner = reader_.read(module_, target.local, levels_ - 1);
    facts_.terminates |= inner.terminates;
    if (inner.rethrows) leave_by(thrown::limit, landing_of_call(thrown::limit, next).where, facts_);
    if (inner.returns) return true;
    if (inner.throws)
      leave_by(thrown::anything, landing_of_call(thrown::anything, next).where, facts_);
    facts_.exits |= inner.exits;
    facts_.unclear |= inner.unclear;
    return false;
  }

  callee_reader& reader_;
  module_code const& module_;
  unsigned levels_;
  callee_facts facts_;
};

void callee_reader::reset() noexcept {
  known_count_ = 0;
  total_left_ = instructions_for_aarch64_callee;
}

callee_facts callee_reader::examine(module_code const& module, std::uintptr_t function) noexcept {
  for (const unsigned levels : {deepest, 2u}) {
    const unsigned before = instructions_left_ = std::min(instructions_for_a_call, total_left_);
    cut_short_ = false;
    const callee_facts found = read(module, function, levels);
    total_left_ -= before - instructions_left_;
    if (!cut_short_ || found.terminates) return found;
    known_count_ = 0;  // some of them are incomplete
  }
  return {.returns = true, .unclear = true};
}

/// The entry for a function, perhaps a new one; null if there is no more room.
callee_reader::known_function* callee_reader::remembered(std::uintptr_t function) noexcept {
  for (std::size_t i = 0; i < known_count_; ++i) {
    if (known_[i].address == function) return &known_[i];
  }
  if (known_count_ == known_.size()) return nullptr;
  known_[known_count_] = {function, 0, {}};
  return &known_[known_count_++];
}

callee_facts callee_reader::read(module_code const& module, std::uintptr_t function,
                                 unsigned levels) noexcept {
  if (levels == 0) return {.returns = true};
  known_function* const entry = remembered(function);
  if (entry == nullptr) {
    cut_short_ = true;
    return {.returns = true};
  }
  if (entry->levels >= levels) return entry->facts;
  *entry = {function, levels, {.returns = true}};  // what a recursive call finds meanwhile
  visitor v{*this, module, levels};
  flows_[levels - 1].follow(module, function, instructions_left_, v);
  callee_facts facts = v.facts();
  const bool ends =
      facts.throws || facts.rethrows || facts.exits || facts.terminates || facts.unclear;
  if (!ends) facts.returns = true;  // an endless loop
  entry->facts = facts;
  return facts;
}

}  // namespace memprof::delivery::aarch64

#endif
