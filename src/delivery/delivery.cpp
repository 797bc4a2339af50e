// SPDX-License-Identifier: MIT
#include "delivery/delivery.hpp"

#include <exception>

namespace memprof::delivery {

decision decide(attempt const& a) noexcept {
  if (a.masked) return {"inside a masked region"};
  // A second exception during unwinding ends in std::terminate. More than at entry, not more than
  // zero: a whole task may run in a destructor during unwinding.
  if (std::uncaught_exceptions() > a.uncaught_at_entry) {
    return {"while another exception is in flight"};
  }
  return preflight(a.boundary);
}

}  // namespace memprof::delivery
