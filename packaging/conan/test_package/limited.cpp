// SPDX-License-Identifier: MIT
// A task far over its limit is interrupted.
#include <vector>

#include <memprof/memprof.hpp>

using namespace memprof::literals;

int main() {
  auto result =
      memprof::limit_allocations(1_MiB, [] { return std::vector<char>(256 << 20).size(); });
  return result ? 1 : 0;
}
