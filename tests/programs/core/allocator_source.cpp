// SPDX-License-Identifier: MIT
// memprof::core and containers with memprof::allocator: limits fire from the first static
// initialiser to the last static destructor.
#include <vector>

#include "memprof/memprof.hpp"

#include "programs/check.hpp"

using namespace memprof::literals;

namespace {

bool limits_work() {
  const auto r = memprof::limit_allocations(1_MiB, [] {
    std::vector<int, memprof::allocator<int>> v;
    while (true) v.push_back(1);
  });
  return !r && r.error().kind() == memprof::limit_kind::allocations;
}

struct whole_life {
  ~whole_life() { CHECK(limits_work()); }
};

whole_life first;

}  // namespace

int main() {
  CHECK(memprof::is_active());
  CHECK(limits_work());
}
