// SPDX-License-Identifier: MIT
// The component memprof::fiber: a task pauses at its limit, and goes on.
#include <vector>

#include <memprof/fiber.hpp>
#include <memprof/memprof.hpp>

using namespace memprof::literals;

int main() {
  std::vector<char> data;
  memprof::task t{memprof::limits{.allocations = 1_KiB, .count = memprof::counting::exact}, [&] {
                    data.resize(100'000);
                    return data.size();
                  }};
  if (t.resume() != memprof::task_state::paused) return 1;
  t.raise_limit(1_MiB);
  if (t.resume() != memprof::task_state::finished) return 2;
  return t.result()->value == 100'000 ? 0 : 3;
}
