// SPDX-License-Identifier: MIT
#include "delivery/callee_facts.hpp"

namespace memprof::delivery {

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

}  // namespace memprof::delivery
