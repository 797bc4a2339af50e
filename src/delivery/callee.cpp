// SPDX-License-Identifier: MIT
#include "delivery/callee.hpp"

namespace memprof::delivery {
namespace {

using x86::op;

constexpr unsigned instructions_for_a_frame = 20'000;

/// An exception leaves the call before `next`: does it leave the function?
void leave_by(thrown type, std::uintptr_t next, callee_facts& facts) noexcept {
  callstack::procedure p;
  landing::place where = landing::place::none;
  if (callstack::find_procedure(next - 1, p) && p.lsda != nullptr) {
    where = find_landing(p, next - 1, type).where;
  }
  const bool ours = type == thrown::limit;
  if (where == landing::place::gap) {
    // Thrown on purpose under noexcept: a check that never fails, like an assert. The exception
    // in hand, however, is there.
    (ours ? facts.terminates : facts.exits) = true;
    return;
  }
  (ours ? facts.rethrows : facts.throws) = true;
  if (where != landing::place::none) facts.returns = true;  // a handler of its own
}

/// The slot that a jump or call goes through; 0 if it is not simply that.
std::uintptr_t slot_of(x86::operand const& o) noexcept {
  const bool simple = o.kind == x86::operand::form::mem && o.base == x86::no_register &&
                      o.index == x86::no_register && !o.opaque;
  return simple ? static_cast<std::uintptr_t>(o.value) : 0;
}

call_target target_of(module_code const& module, x86::instruction const& i) noexcept {
  if (i.target != 0) return target_at(module, i.target);
  const std::uintptr_t slot = slot_of(i.to);
  return slot != 0 ? target_in_slot(module, slot) : call_target{};
}

}  // namespace

void callee_reader::trail::reset() noexcept {
  seen_.fill(0);
  seen_count_ = next_count_ = 0;
}

bool callee_reader::trail::add(std::uintptr_t address) noexcept {
  std::size_t at = (address * 0x9e3779b97f4a7c15U) >> 55;
  static_assert(size == std::size_t{1} << (64 - 55));
  for (; seen_[at] != 0; at = (at + 1) % size) {
    if (seen_[at] == address) return true;
  }
  if (seen_count_ == size / 2 || next_count_ == next_.size()) return false;
  seen_[at] = address;
  ++seen_count_;
  next_[next_count_++] = address;
  return true;
}

bool callee_reader::trail::take(std::uintptr_t& address) noexcept {
  if (next_count_ == 0) return false;
  address = next_[--next_count_];
  return true;
}

void callee_reader::reset() noexcept {
  known_count_ = 0;
  instructions_left_ = instructions_for_a_frame;
}

callee_facts callee_reader::examine(module_code const& module, std::uintptr_t function,
                                    unsigned depth) noexcept {
  callee_facts facts;
  facts.returns = true;
  if (depth == deepest) return facts;
  for (std::size_t i = 0; i < known_count_; ++i) {
    if (known_[i].address == function) return known_[i].facts;
  }
  if (known_count_ == known_.size()) return facts;
  // Until it is known: what a recursive call finds.
  known_function& entry = known_[known_count_++];
  entry = {function, facts};
  facts.returns = false;
  trail& places = trails_[depth];
  places.reset();
  places.add(function);
  for (std::uintptr_t at; places.take(at);) read_from(module, at, depth, facts);
  const bool ends =
      facts.throws || facts.rethrows || facts.exits || facts.terminates || facts.unclear;
  if (!ends) facts.returns = true;  // an endless loop
  entry.facts = facts;
  return facts;
}

void callee_reader::read_from(module_code const& module, std::uintptr_t at, unsigned depth,
                              callee_facts& facts) noexcept {
  for (;;) {
    x86::instruction i;
    if (instructions_left_ == 0 ||
        !x86::decode(reinterpret_cast<unsigned char const*>(at), module.code_at(at), at, i)) {
      facts.returns = true;
      return;
    }
    --instructions_left_;
    const std::uintptr_t next = at + i.length;
    switch (i.what) {
      case op::ret:
        facts.returns = true;
        return;
      case op::trap:
        facts.exits = true;
        return;
      case op::call:
        if (!goes_on_after_call(module, target_of(module, i), next, depth, facts)) return;
        break;
      case op::jump:
        transfer(module, i, next, depth, facts);
        return;
      case op::jump_if:
      case op::jump_unclear:
        transfer(module, i, next, depth, facts);
        break;
      default:
        break;
    }
    at = next;
  }
}

bool callee_reader::goes_on_after_call(module_code const& module, call_target const& target,
                                       std::uintptr_t next, unsigned depth,
                                       callee_facts& facts) noexcept {
  switch (target.function) {
    case runtime_function::terminate:
    case runtime_function::thread_destructor:
      facts.terminates = true;
      return false;
    case runtime_function::rethrow:
      leave_by(thrown::limit, next, facts);
      return false;
    case runtime_function::throw_new:
      leave_by(thrown::anything, next, facts);
      return false;
    case runtime_function::exit:
      facts.exits = true;
      return false;
    case runtime_function::resume:
    case runtime_function::ignored:
      return false;
    case runtime_function::unclear:
      facts.unclear = true;
      return false;
    case runtime_function::begin_catch:
    case runtime_function::end_catch:
    case runtime_function::none:
      break;
  }
  if (target.local == 0 || target.function != runtime_function::none) return true;
  const callee_facts inner = examine(module, target.local, depth + 1);
  facts.terminates |= inner.terminates;
  facts.unclear |= inner.unclear;
  if (inner.rethrows) leave_by(thrown::limit, next, facts);
  if (inner.returns) return true;
  if (inner.throws) leave_by(thrown::anything, next, facts);
  facts.exits |= inner.exits;
  return false;
}

bool callee_reader::transfer(module_code const& module, x86::instruction const& jump,
                             std::uintptr_t next, unsigned depth, callee_facts& facts) noexcept {
  const call_target target = target_of(module, jump);
  const bool here =
      jump.target != 0 && target.local == jump.target && target.function == runtime_function::none;
  if (here) {
    if (!trails_[depth].add(jump.target)) facts.returns = true;
    return true;
  }
  // A call in place of a return.
  if (goes_on_after_call(module, target, next, depth, facts)) facts.returns = true;
  return false;
}

}  // namespace memprof::delivery
