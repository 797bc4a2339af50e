// SPDX-License-Identifier: MIT
#include "delivery/reader/callee_reader.hpp"

#include <algorithm>

#include "delivery/reader/lsda.hpp"

namespace memprof::delivery {
namespace {

// For a call from the pad, each time it is tried; more at last.
constexpr unsigned usual_instructions = 5'000;
constexpr unsigned most_instructions = 20'000;
constexpr unsigned instructions_for_callee = 60'000;

/// Whether the pad is what clang makes of noexcept: nothing but a call of std::terminate.
bool terminates_at_once(module_code const& module, std::uintptr_t pad) noexcept {
  constexpr int longest = 4;  // unoptimised: a store, a move, the call
  processor::run_values known;
  known.forget();
  for (int n = 0; n < longest; ++n) {
    processor::instruction i;
    if (!processor::decode(module, pad, i)) return false;
    switch (processor::control_of(i)) {
      case control::next:
        processor::execute(i, known);
        pad += i.length;
        break;
      case control::call:
        return target_of(module, processor::destination_of(i, known)).function ==
               runtime_function::terminate;
      default:
        return false;
    }
  }
  return false;
}

/// Where an exception that leaves the call before `next` goes in the function that calls.
landing::place place_of(module_code const& module, thrown type, std::uintptr_t next) noexcept {
  callstack::procedure p;
  if (!callstack::find_procedure(next - 1, p) || p.lsda == nullptr) return landing::place::none;
  const landing l = find_landing(p, next - 1, type);
  const bool ends = l.where == landing::place::pad && terminates_at_once(module, l.address);
  return ends ? landing::place::gap : l.where;
}

/// Enters that an exception leaves the call before `next`.
void leave(module_code const& module, thrown type, std::uintptr_t next,
           callee_facts& facts) noexcept {
  const landing::place where = place_of(module, type, next);
  const bool ours = type == thrown::limit;
  if (where == landing::place::gap) {
    // Thrown on purpose under noexcept: a check that never fails, like an assert. The exception
    // being handled, however, is there.
    (ours ? facts.terminates : facts.exits) = true;
    return;
  }
  (ours ? facts.rethrows : facts.throws) = true;
  if (where != landing::place::none) facts.returns = true;  // a handler of its own
}

}  // namespace

void callee_reader::trail::reset() noexcept {
  if (++generation_ == 0) {
    seen_.fill(0);
    generation_ = 1;
  }
  seen_count_ = 0;
  next_.clear();
}

std::size_t callee_reader::trail::find(std::uintptr_t address) const noexcept {
  static_assert(size == std::size_t{1} << 11);
  std::size_t at = (address * 0x9e3779b97f4a7c15U) >> (64 - 11);
  while (seen_[at] >> 32 == generation_ && seen_[at] != key_of(address)) at = (at + 1) % size;
  return at;
}

bool callee_reader::trail::add(std::uintptr_t address) noexcept {
  std::uint64_t& entry = seen_[find(address)];
  if (entry == key_of(address)) return true;
  if (seen_count_ == size / 2 || !next_.push(address)) return false;
  entry = key_of(address);
  ++seen_count_;
  return true;
}

void callee_reader::reset() noexcept {
  known_.clear();
  examined_.clear();
  total_left_ = instructions_for_callee;
}

/// The entry for a function, perhaps a new one; null if there is no more room.
callee_reader::known_function* callee_reader::remembered(std::uintptr_t function) noexcept {
  for (known_function& known : known_) {
    if (known.address == function) return &known;
  }
  return known_.push({function, 0, {}}) ? known_.end() - 1 : nullptr;
}

callee_facts callee_reader::examine(module_code const& module, std::uintptr_t function,
                                    bool cleanup) noexcept {
  for (examination const& e : examined_) {
    if (e.function == function && e.cleanup == cleanup) return e.facts;
  }
  callee_facts facts;
  facts.returns = facts.unclear = true;
  // Deeper if there is not much to read, less deep if there is too much.
  if (read_all(module, function, 3, usual_instructions, facts)) {
    if (cleanup) read_all(module, function, deepest, usual_instructions, facts);
  } else {
    read_all(module, function, 2, most_instructions, facts);
  }
  static_cast<void>(examined_.push({function, cleanup, facts}));  // without room read again
  return facts;
}

/// Reads a function, `levels` deep. False, and `facts` is left alone, if that was too long.
bool callee_reader::read_all(module_code const& module, std::uintptr_t function, unsigned levels,
                             unsigned instructions, callee_facts& facts) noexcept {
  instructions_left_ = std::min(instructions, total_left_);
  const unsigned before = instructions_left_;
  cut_short_ = false;
  const callee_facts found = read(module, function, levels);
  total_left_ -= before - instructions_left_;
  if (cut_short_ && !found.terminates) {
    known_.clear();  // some of them are incomplete
    return false;
  }
  facts = found;
  return true;
}

callee_facts callee_reader::read(module_code const& module, std::uintptr_t function,
                                 unsigned levels) noexcept {
  callee_facts facts;
  facts.returns = true;
  if (levels == 0) return facts;
  known_function* const entry = remembered(function);
  if (entry == nullptr) {
    cut_short_ = true;
    return facts;
  }
  if (entry->levels >= levels) return entry->facts;
  *entry = {function, levels, facts};  // what a recursive call finds meanwhile
  facts.returns = false;
  trail& places = trails_[levels - 1];
  places.reset();
  places.add(function);
  for (std::uintptr_t at; places.take(at);) read_from(module, at, levels, facts);
  const bool ends =
      facts.throws || facts.rethrows || facts.exits || facts.terminates || facts.unclear;
  if (!ends) facts.returns = true;  // an endless loop
  entry->facts = facts;
  return facts;
}

void callee_reader::read_from(module_code const& module, std::uintptr_t at, unsigned levels,
                              callee_facts& facts) noexcept {
  processor::run_values& known = values_[levels - 1];
  known.forget();
  std::uintptr_t run = at;  // where this run began: a jump's target, or what a call returns to
  for (bool first = true;; first = false) {
    if (!first && trails_[levels - 1].contains(at)) return;
    processor::instruction i;
    if (instructions_left_ == 0) {
      cut_short_ = facts.returns = true;
      return;
    }
    if (!processor::decode(module, at, i)) {
      facts.returns = true;
      return;
    }
    --instructions_left_;
    const std::uintptr_t next = at + i.length;
    switch (processor::control_of(i)) {
      case control::next:
        processor::execute(i, known);
        break;
      case control::ret:
        facts.returns = true;
        return;
      case control::trap:
        facts.exits = true;
        return;
      case control::call: {
        const call_target target = target_of(module, processor::destination_of(i, known));
        if (target.function == runtime_function::terminate && at != run && is_landing_pad(run)) {
          // No ordinary code goes on to a landing pad: a call before it does not return. (A pad of
          // g++ that is nothing but this call may be shared with code that says std::terminate.)
          facts.exits = true;
          return;
        }
        if (!goes_on_after_call(module, target, next, levels, facts)) return;
        known.after_call();
        run = next;
        break;
      }
      case control::jump:
        transfer(module, processor::destination_of(i, known), next, levels, facts);
        return;
      case control::branch:
        transfer(module, processor::destination_of(i, known), next, levels, facts);
        break;
    }
    at = next;
  }
}

bool callee_reader::goes_on_after_call(module_code const& module, call_target const& target,
                                       std::uintptr_t next, unsigned levels,
                                       callee_facts& facts) noexcept {
  switch (target.function) {
    case runtime_function::terminate:
    case runtime_function::thread_destructor:
      facts.terminates = true;
      return false;
    case runtime_function::rethrow:
      leave(module, thrown::limit, next, facts);
      return false;
    case runtime_function::throw_new:
      leave(module, thrown::anything, next, facts);
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
    case runtime_function::harmless:
    case runtime_function::none:
      break;
  }
  if (target.local == 0 || target.function != runtime_function::none) return true;
  const callee_facts inner = read(module, target.local, levels - 1);
  facts.terminates |= inner.terminates;
  if (inner.rethrows) leave(module, thrown::limit, next, facts);
  if (inner.returns) return true;
  if (inner.throws) leave(module, thrown::anything, next, facts);
  facts.exits |= inner.exits;
  facts.unclear |= inner.unclear;
  return false;
}

/// A jump, or a branch that is taken.
void callee_reader::transfer(module_code const& module, destination const& to, std::uintptr_t next,
                             unsigned levels, callee_facts& facts) noexcept {
  const call_target target = target_of(module, to);
  const bool here =
      to.address != 0 && target.local == to.address && target.function == runtime_function::none;
  if (here) {
    if (!trails_[levels - 1].add(to.address)) cut_short_ = facts.returns = true;
  } else if (goes_on_after_call(module, target, next, levels, facts)) {
    facts.returns = true;  // a call in place of a return
  }
}

}  // namespace memprof::delivery
