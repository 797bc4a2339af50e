// SPDX-License-Identifier: MIT
//
// docs/recovering.md: fibers.
#include "memprof/fiber.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include "recovering/exactly.hpp"
#include "support/catch2.hpp"

namespace recovering {
namespace {

using namespace memprof::literals;

// [pausing]
std::vector<std::string> all_lines(std::size_t count) noexcept {  // no interrupt can leave it
  std::vector<std::string> lines;
  for (std::size_t n = 0; n < count; ++n) lines.emplace_back(1000, 'x');
  return lines;
}
// [/pausing]

TEST_CASE("a task pauses where nothing may be thrown, and goes on as if nothing had been",
          "[recovering]") {
  // [pausing_use]
  memprof::task reader{memprof::limits{.memory = 1_MiB}, [] { return all_lines(5'000); }};
  int pauses = 0;
  while (reader.resume() == memprof::task_state::paused) {
    ++pauses;
    reader.raise_limit(reader.pause().limit * 2);  // or frees memory, or waits, or cancels it
  }
  CHECK(pauses >= 2);
  CHECK(reader.result()->value.size() == 5'000);
  // [/pausing_use]
}

TEST_CASE("a cancelled task is unwound", "[recovering]") {
  // [cancelled]
  bool closed = false;
  memprof::task writer{memprof::limits{.allocations = 100_KiB}, [&] {
                         struct file {
                           bool& closed;
                           ~file() { closed = true; }
                         } const open{closed};
                         return std::string(1'000'000, 'x');  // pauses in here
                       }};
  CHECK(writer.resume() == memprof::task_state::paused);
  CHECK_FALSE(closed);  // whoever needs that file has to wait
  CHECK(writer.cancel() == memprof::task_state::interrupted);
  CHECK(closed);
  CHECK(writer.result().error().kind() == memprof::limit_kind::allocations);
  // [/cancelled]
}

}  // namespace
}  // namespace recovering
