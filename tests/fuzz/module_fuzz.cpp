// SPDX-License-Identifier: MIT
//
// Any bytes, as a module with its symbols, debug information and unwind tables: every address gets
// an answer, or none, in a bounded time and memory.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <unistd.h>
#include <vector>

#include "memory_file.hpp"
#include "symbolize/debug_files.hpp"
#include "symbolize/elf_image.hpp"
#include "symbolize/module.hpp"

using namespace memprof::symbolize;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static debug_files const files({}, "/nonexistent");
  int const descriptor = memprof_fuzz::memory_file(std::as_bytes(std::span(data, size)));
  std::string reason;
  auto image = elf_image::open("/proc/self/fd/" + std::to_string(descriptor), reason);
  ::close(descriptor);
  if (image == nullptr) {
    if (reason.empty()) std::abort();
    return 0;
  }
  static_cast<void>(image->link());
  static_cast<void>(image->alternative());
  std::vector<std::uint64_t> addresses{0, 0x1000, 0x1010, ~std::uint64_t{0}};
  for (auto const& extent : image->code()) {
    addresses.push_back(extent.low);
    addresses.push_back(extent.low + (extent.high - extent.low) / 2);
    addresses.push_back(extent.high - 1);
    if (addresses.size() > 20) break;
  }
  auto memory = memory_budget{std::uint64_t{1} << 30};
  module m(std::move(image), files, memory);
  std::vector<frame> frames;
  for (std::uint64_t const address : addresses) {
    frames.clear();
    m.find(address, frames);
    for (frame const& f : frames) {
      std::string const copied(f.file);  // asan looks at each byte
      if (copied.size() > (std::size_t{1} << 30)) std::abort();
    }
    if (frames.empty()) static_cast<void>(m.function_at(address));
  }
  return 0;
}
