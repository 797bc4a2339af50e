// SPDX-License-Identifier: MIT
#include "delivery/reader/callee_facts.hpp"

namespace memprof::delivery {

landing landing_of_call(thrown type, std::uintptr_t next) noexcept {
  callstack::procedure p;
  if (callstack::find_procedure(next - 1, p) && p.lsda != nullptr) {
    return find_landing(p, next - 1, type);
  }
  return {.where = landing::place::none};
}

void leave_by(thrown type, landing::place where, callee_facts& facts) noexcept {
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

}  // namespace memprof::delivery
