// SPDX-License-Identifier: MIT
//
// Any bytes, read as a trace in each of the reader's four ways: what is no trace is answered by
// format_error and by nothing else.
#include <cstdint>
#include <cstdlib>

#include "memprof/trace/reader.hpp"

#include "memory_file.hpp"

using namespace memprof::trace;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

/// Asan looks at each byte.
void look_at(std::span<location const> locations) {
  for (location const& at : locations) {
    for (char const c : at.filename) require(c != 0);
    for (char const c : at.defname) require(c != 0);
  }
}

struct reading {
  std::uint64_t events = 0;
  bool rejected = false;
};

reading read(std::span<std::byte const> bytes, reader_options options) {
  reading result;
  try {
    reader trace(memprof_fuzz::memory_file(bytes), "fuzz", options);
    event e;
    while (trace.next(e)) {
      ++result.events;
      for (location_code const code : e.backtrace) {
        try {
          look_at(trace.locations(code));
        } catch (format_error const&) {  // a code that was never announced
          require(!options.recover);
        }
      }
    }
    for (interrupt const& i : trace.interrupts()) {
      require(i.time.count() >= 0);
      look_at(i.stack);
    }
    require(trace.bytes_read() <= bytes.size());
  } catch (format_error const& error) {
    result.rejected = true;
    require(error.offset() <= bytes.size());
  }
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const bytes = std::as_bytes(std::span(data, size));
  reading const whole = read(bytes, {});
  reading const fast = read(bytes, {.backtraces = false});
  reading const recovered = read(bytes, {.recover = true});
  read(bytes, {.backtraces = false, .recover = true});
  // Less is checked without stacks, and recovery loses nothing that could be read without.
  require(fast.events >= whole.events);
  if (recovered.rejected) {
    require(whole.events == 0);
  } else {
    require(recovered.events >= whole.events);
  }
  return 0;
}
