// SPDX-License-Identifier: MIT
//
// A loaded module whose unwind and exception tables are damaged in memory: an input is a list of
// places and bytes. Whatever is asked about the module's functions has an answer, and nothing that
// cannot be read is followed. What stands behind the tables of a real module is readable, so it is
// the other fuzzers (unwind, lsda), over tables that end with their memory, that see a byte read
// too many.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <vector>

#include "callstack/callstack.hpp"
#include "delivery/reader/frame_outcome.hpp"
#include "delivery/reader/lsda.hpp"
#include "delivery/reader/runtime_addresses.hpp"
#include "modules/modules.hpp"
#include "require.hpp"

using namespace memprof;
using memprof_fuzz::require;

namespace {

/// The module's tables: from its index to the end of the segment with it.
struct victim {
  unsigned char* tables = nullptr;
  unsigned char const* header = nullptr;
  std::vector<unsigned char> whole;
  std::vector<std::uintptr_t> code;  ///< addresses in its functions
};
victim loaded;

void open_victim() {
  void* const module = dlopen(MEMPROF_FUZZ_VICTIM, RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(1);
  }
  auto const* const function = static_cast<unsigned char const*>(dlsym(module, "catches"));
  modules::found_module found;
  require(modules::find_module(reinterpret_cast<std::uintptr_t>(function), found));
  loaded.header = found.eh_frame_header;
  auto const begin = reinterpret_cast<std::uintptr_t>(found.eh_frame_header);
  modules::address_range const segment = modules::readable_around(begin);
  auto const page = begin & ~(modules::page_size - 1);
  require(mprotect(reinterpret_cast<void*>(page), segment.end - page, PROT_READ | PROT_WRITE) == 0);
  loaded.tables = reinterpret_cast<unsigned char*>(begin);
  loaded.whole.assign(loaded.header, loaded.header + (segment.end - begin));
  for (char const* const name : {"catches", "cleans_up", "promises", "rethrows"}) {
    auto const at = reinterpret_cast<std::uintptr_t>(dlsym(module, name));
    callstack::procedure p;
    require(callstack::find_procedure(at, p) && p.lsda != nullptr);
    for (std::uintptr_t pc = p.begin; pc < p.end; pc += 3) loaded.code.push_back(pc);
  }
}

/// The byte of the tables that three bytes of an input are about.
unsigned char& chosen_byte(std::uint8_t const* three) {
  std::size_t const at = three[0] + 256u * three[1];
  return loaded.tables[at % loaded.whole.size()];
}

bool go_on(void*, std::uintptr_t) noexcept { return true; }

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  delivery::add_own_runtime();
  open_victim();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::size_t changed = 0;
  for (; changed + 3 <= size && changed < 3 * 64; changed += 3) {
    chosen_byte(data + changed) = data[changed + 2];
  }
  callstack::for_each_personality(callstack::eh_frame_of(loaded.header), go_on, nullptr);
  // Some of them each time: an input that moves them all is another one.
  std::size_t const first = size == 0 ? 0 : data[size - 1] % 7;
  for (std::size_t i = first; i < loaded.code.size(); i += 7) {
    std::uintptr_t const pc = loaded.code[i];
    callstack::procedure p;
    static_cast<void>(delivery::is_landing_pad(pc));
    if (!callstack::find_procedure(pc, p)) continue;
    static_cast<void>(callstack::rule_at(p, pc).understood());
    if (p.lsda == nullptr) continue;
    for (auto const type : {delivery::thrown::limit, delivery::thrown::anything}) {
      static_cast<void>(delivery::find_landing(p, pc, type));
    }
    static_cast<void>(delivery::outcome_in_frame(p, pc));
  }
  for (std::size_t i = 0; i < changed; i += 3) {
    unsigned char& byte = chosen_byte(data + i);
    byte = loaded.whole[static_cast<std::size_t>(&byte - loaded.tables)];
  }
  return 0;
}
