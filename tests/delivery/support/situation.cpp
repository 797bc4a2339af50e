// SPDX-License-Identifier: MIT
#include "support/situation.hpp"

namespace memprof::test {
namespace {

constinit situation const* first = nullptr;
constinit situation* last = nullptr;

}  // namespace

registered::registered(situation s) noexcept : situation_(s) {
  if (first == nullptr) {
    first = &situation_;
  } else {
    last->next = &situation_;
  }
  last = &situation_;
}

situation const* first_situation() noexcept { return first; }

}  // namespace memprof::test
