// SPDX-License-Identifier: MIT
#include "delivery/reader/pad_reader.hpp"

#include <optional>

namespace memprof::delivery {

namespace {

constexpr unsigned instructions_for_pad = 20'000;

}  // namespace

void pad_reader::reset() noexcept {
  callees_.reset();
  procedure_ = {};
  instructions_left_ = instructions_for_pad;
}

void pad_reader::read(module_code const& module, landing const& entry, thrown type,
                      pad_outcomes& ends, arrivals& next) noexcept {
  blocks_.reset();
  path& p = path_;
  p.module = &module;
  p.entry = entry.address;
  p.ends = &ends;
  p.arriving = &next;
  p.type = type;
  p.handling = false;
  p.values.enter_pad(entry.selector_known ? std::optional{entry.selector} : std::nullopt);
  reach(p, entry.address);
  while (pad_blocks::block const* b = blocks_.take()) {
    p.at = b->address;
    p.run = b->address;
    p.handling = b->handling;
    p.values = b->values;
    walk(p);
    if (ends.terminates || ends.unclear) return;  // it does not get any better
  }
}

void pad_reader::walk(path& p) noexcept {
  const bool elsewhere = p.at < procedure_.begin || p.at >= procedure_.end;
  if (elsewhere && !callstack::find_procedure(p.at, procedure_)) {
    p.ends->unclear = true;
    return;
  }
  for (bool first = true;; first = false) {
    if (!first && blocks_.contains(p.at, p.handling)) return reach(p, p.at);
    processor::instruction i;
    // Running off the end of the procedure means that a call does not return; which, and how it
    // ends, is not known.
    if (p.at >= procedure_.end || instructions_left_ == 0 ||
        !processor::decode(*p.module, p.at, i)) {
      p.ends->unclear = true;
      return;
    }
    --instructions_left_;
    p.next = p.at + i.length;
    if (!step(p, i)) return;
    p.at = p.next;
  }
}

/// Executes one instruction; false if the path ends there.
bool pad_reader::step(path& p, processor::instruction const& i) noexcept {
  switch (processor::control_of(i)) {
    case control::next:
      processor::execute(i, *p.module, p.values);
      return true;
    case control::ret:
      p.ends->unclear = true;
      return false;
    case control::trap:
      p.ends->exits = true;
      return false;
    case control::branch: {
      const std::optional<bool> taken = processor::is_taken(i, p.values);
      if (taken.value_or(true)) jump(p, i.target);
      if (!taken) reach(p, p.next);
      return taken && !*taken;
    }
    case control::call: {
      const bool returns =
          call(p, target_of(*p.module, processor::destination_of(i, *p.module, p.values)));
      p.run = p.next;
      return returns;
    }
    case control::jump:
      break;
  }
  const destination to = processor::destination_of(i, *p.module, p.values);
  if (to.address != 0) {
    jump(p, to.address);
  } else {
    tail_call(p, target_of(*p.module, to));
  }
  return false;
}

void pad_reader::reach(path& p, std::uintptr_t address) noexcept {
  if (!blocks_.reach(address, p.handling, p.values)) p.ends->unclear = true;
}

void pad_reader::jump(path& p, std::uintptr_t target) noexcept {
  if (target >= procedure_.begin && target < procedure_.end) return reach(p, target);
  // To the function's other part, or a call in place of a return.
  const call_target called = target_at(*p.module, target);
  if (called.function == runtime_function::none && called.local == target) {
    reach(p, target);
  } else {
    tail_call(p, called);
  }
}

void pad_reader::tail_call(path& p, call_target const& target) noexcept {
  switch (target.function) {
    case runtime_function::none:
    case runtime_function::harmless:
    case runtime_function::resume:
    case runtime_function::begin_catch:
      p.ends->unclear = true;
      return;  // the frame returns
    case runtime_function::rethrow:
      // This frame is gone already.
      (p.handling ? p.ends->passes : p.ends->unclear) = true;
      return;
    case runtime_function::throw_new:
      (p.handling ? p.ends->translates : p.ends->unclear) = true;
      return;
    case runtime_function::end_catch:
      (p.handling ? p.ends->swallows : p.ends->unclear) = true;
      return;
    default:
      call(p, target);
      return;
  }
}

/// An exception leaves the call that is being read; always false.
bool pad_reader::throw_again(path& p, thrown type) noexcept {
  if (!p.arriving->add({p.next - 1, type})) p.ends->unclear = true;
  return false;
}

/// A call of `target`; false if the path ends there.
bool pad_reader::call(path& p, call_target const& target) noexcept {
  callee_facts facts;
  switch (target.function) {
    case runtime_function::resume:
    case runtime_function::begin_catch:
      // A handler gets to neither: this is the code behind a call that does not return.
      if (p.handling) {
        p.ends->unclear = true;
        return false;
      }
      if (target.function == runtime_function::resume) return throw_again(p, p.type);
      if (!p.values.may_be_caught()) return false;
      p.handling = true;
      p.values.after_call();
      return true;
    case runtime_function::end_catch:
      // Before __cxa_begin_catch it ends the handler that the frame was in already.
      if (p.handling) p.ends->swallows = true;
      p.values.after_call();
      return !p.handling;
    case runtime_function::terminate:
      // As in callee_reader.cpp: another pad, which a call before it does not return to.
      if (p.run != p.entry && p.run != p.at && is_landing_pad(p.run)) {
        p.ends->exits = true;
      } else {
        p.ends->terminates = true;
      }
      return false;
    case runtime_function::thread_destructor:
      p.ends->terminates = true;
      return false;
    case runtime_function::exit:
      p.ends->exits = true;
      return false;
    case runtime_function::ignored:
      return false;
    case runtime_function::unclear:
      p.ends->unclear = true;
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
      if (target.function == runtime_function::none && target.local != 0)
        facts = callees_.examine(*p.module, target.local, !p.handling);
      break;
  }
  if (facts.terminates) p.ends->terminates = true;
  if (facts.unclear) p.ends->unclear = true;
  if (facts.rethrows && p.handling) throw_again(p, p.type);
  if (facts.returns) {
    p.values.after_call();
    return true;
  }
  if (facts.exits) p.ends->exits = true;
  if (facts.rethrows && !p.handling) p.ends->unclear = true;
  if (!facts.throws) return false;
  if (p.handling) return throw_again(p, thrown::anything);
  // A new exception while this one is in flight: in a cleanup, which must not let it out. If it
  // cannot be caught either, this is a check that never fails, like an assert.
  const landing where = find_landing(procedure_, p.next - 1, thrown::anything);
  (where.where == landing::place::gap ? p.ends->exits : p.ends->unclear) = true;
  return false;
}

}  // namespace memprof::delivery
