// SPDX-License-Identifier: MIT
#include "delivery/reader/frame_outcome.hpp"

#include "delivery/reader/frame_scratch.hpp"
#include "delivery/reader/lsda.hpp"
#include "delivery/reader/pad_outcomes.hpp"
#include "modules/modules.hpp"

namespace memprof::delivery {
namespace {

/// The gravest of the ends that are possible. abort and the like count only if there is no other:
/// they are checks that never fail.
outcome gravest(pad_outcomes const& ends) noexcept {
  if (ends.terminates) return outcome::terminate;
  if (ends.unclear) return outcome::unknown;
  if (ends.swallows) return outcome::swallow;
  if (ends.translates) return outcome::translate;
  if (ends.passes) return outcome::pass;
  return ends.exits ? outcome::terminate : outcome::unknown;
}

void leaves_frame(thrown type, pad_outcomes& ends) noexcept {
  (type == thrown::limit ? ends.passes : ends.translates) = true;
}

/// Follows one arrival; what is raised again goes into `scratch.arriving`.
void follow(module_code const& module, landing const& entry, thrown type, frame_scratch& scratch,
            pad_outcomes& ends) noexcept {
  switch (entry.where) {
    case landing::place::gap:
      ends.terminates = true;
      return;
    case landing::place::malformed:
      ends.unclear = true;
      return;
    case landing::place::none:
      leaves_frame(type, ends);
      return;
    case landing::place::pad:
      break;
  }
  if (entry.may_pass) leaves_frame(type, ends);
  scratch.reader.read(module, entry, type, ends, scratch.arriving);
}

}  // namespace

outcome outcome_in_frame(callstack::procedure const& p, std::uintptr_t pc) noexcept {
  const landing first = find_landing(p, pc, thrown::limit);
  switch (first.where) {  // most frames end here
    case landing::place::gap:
      return outcome::terminate;
    case landing::place::none:
      return outcome::pass;
    case landing::place::malformed:
      return outcome::unknown;
    case landing::place::pad:
      break;
  }
  module_code module;
  const borrowed_scratch borrowed;
  frame_scratch* const scratch = borrowed.get();
  if (scratch == nullptr) return outcome::no_memory;
  if (!module.open(pc)) return outcome::unknown;
  scratch->arriving.reset();
  scratch->reader.reset();
  pad_outcomes ends;
  follow(module, first, thrown::limit, *scratch, ends);
  for (arrival a; !ends.terminates && !ends.unclear && scratch->arriving.take(a);) {
    callstack::procedure at;  // a cold part is a procedure of its own
    if (!callstack::find_procedure(a.pc, at)) return outcome::unknown;
    if (at.lsda == nullptr) {
      leaves_frame(a.type, ends);
    } else {
      follow(module, find_landing(at, a.pc, a.type), a.type, *scratch, ends);
    }
  }
  return gravest(ends);
}

bool ends_every_exception(callstack::procedure const& p) noexcept {
  if (p.lsda == nullptr) return false;
  std::uintptr_t at = p.begin;
  if (find_landing(p, at, thrown::limit).where == landing::place::malformed) return false;
  if (find_landing(p, at, thrown::limit).where == landing::place::gap) at = next_call_site(p, at);
  for (; at != 0; at = next_call_site(p, at)) {
    if (outcome_in_frame(p, at) != outcome::terminate) return false;
  }
  return true;
}

}  // namespace memprof::delivery
