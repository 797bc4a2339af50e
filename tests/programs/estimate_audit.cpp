// SPDX-License-Identifier: MIT
// The audit of the estimates in a program with the replacement: blocks of malloc, calloc and new,
// and ones that realloc makes sampled that were not. With a fault in realloc planted by
// tests/planted_bias it fails. The seed is fixed; a correct library fails for one seed in 1e9.
#include <cstdint>
#include <cstdlib>

#include "memprof/memprof.hpp"

#include "programs/check.hpp"

using namespace memprof;

int main() {
  set_seed(31);
  set_process_sampling_rate(sampling_rate{1e-3});
  for (int i = 0; i < 3000; ++i) {
    void* block = std::malloc(16);
    for (std::size_t size = 32; size < 5000; size *= 2) {
      void* const grown = std::realloc(block, size);
      CHECK(grown != nullptr);
      block = grown;
    }
    std::free(block);
    std::free(std::calloc(10, 100));
    ::operator delete(::operator new(500));
  }
  const sampling_audit a = audit_sampling();
  CHECK(a.p_value > 1e-9);
  CHECK(a.live.samples > 3000);
  CHECK(a.live.deviation < 0.1 * a.live.samples);
  CHECK(a.live.p_value > 1e-9);
  CHECK(a.limits.samples == 0 && a.limits.p_value == 1);
  return 0;
}
