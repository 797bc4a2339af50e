// SPDX-License-Identifier: MIT
//
// What the reader says of each call site that has an entry in an exception table.
//
//     delivery_outcomes [--sites] [LIBRARY...]
//
// Counts the outcomes in the standard library and the libraries named. --sites prints a line for
// each call site, `MODULE+OFFSET outcome`, so that a change of the reader can be judged by diff.
// Fails if over one site in a hundred is not understood.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "callstack/callstack.hpp"
#include "delivery/delivery.hpp"
#include "delivery/reader/frame_outcome.hpp"
#include "modules/modules.hpp"

namespace {

using namespace memprof;
using callstack::table_reader;

constexpr std::array outcome_names{"pass",      "swallow", "translate",
                                   "terminate", "unknown", "no memory"};

struct totals {
  bool print_sites = false;
  std::array<std::uint64_t, outcome_names.size()> count{};
};

/// A call site ends with its call: its last byte is what the walk asks for.
void read_call_sites(callstack::procedure const& p, std::string const& module, std::uintptr_t bias,
                     totals& all) {
  table_reader r{p.lsda, p.lsda_end};
  if (const auto base = r.fixed<unsigned char>(); base != callstack::encoding_omitted) {
    r.pointer(base);
  }
  if (r.fixed<unsigned char>() != callstack::encoding_omitted) r.uleb();
  const auto encoding = static_cast<unsigned char>(r.fixed<unsigned char>() & 0x0f);
  const std::uint64_t size = r.uleb();
  unsigned char const* const end = r.position() + size;
  while (r.position() < end && !r.failed()) {
    const std::uintptr_t begin = p.begin + r.pointer(encoding);
    const std::uintptr_t length = r.pointer(encoding);
    r.pointer(encoding);  // the landing pad
    r.uleb();             // what it handles
    if (length == 0) continue;
    const std::uintptr_t pc = begin + length - 1;
    const auto outcome = static_cast<std::size_t>(delivery::outcome_in_frame(p, pc));
    ++all.count[outcome];
    if (all.print_sites) {
      std::printf("%s+%jx %s\n", module.c_str(), std::uintmax_t{pc - bias}, outcome_names[outcome]);
    }
  }
}

/// Reads the procedures in the index of the unwind tables of the module at `address`.
void read_module(void const* address, totals& all) {
  modules::found_module module;
  if (!modules::find_module(reinterpret_cast<std::uintptr_t>(address), module)) return;
  auto const* const header = module.eh_frame_header;
  if (header == nullptr) return;
  std::string name = module.name[0] != '\0' ? module.name : "program";
  name.erase(0, name.rfind('/') + 1);
  const auto base = reinterpret_cast<std::uintptr_t>(header);
  table_reader r{header + 4, header + 64};
  r.pointer(header[1], base);
  const std::uint64_t count = r.pointer(header[2], base);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::int32_t begin;
    std::memcpy(&begin, r.position() + 8 * i, sizeof begin);
    callstack::procedure p;
    if (callstack::find_procedure(base + static_cast<std::uintptr_t>(std::intptr_t{begin}), p) &&
        p.lsda != nullptr) {
      read_call_sites(p, name, module.bias, all);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  delivery::enter_limit_function(reinterpret_cast<void const*>(&read_module));
  totals all;
  std::vector<void const*> code{reinterpret_cast<void const*>(&std::uncaught_exceptions)};
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--sites") {
      all.print_sites = true;
      continue;
    }
    void* const handle = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
    link_map const* map = nullptr;
    if (handle == nullptr || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) {
      std::fprintf(stderr, "%s\n", dlerror());
      return 2;
    }
    code.push_back(map->l_ld);
  }
  for (void const* const address : code) read_module(address, all);
  std::uint64_t sites = 0;
  for (std::size_t i = 0; i < outcome_names.size(); ++i) {
    std::fprintf(stderr, "%8ju %s\n", std::uintmax_t{all.count[i]}, outcome_names[i]);
    sites += all.count[i];
  }
  const auto unknown = all.count[static_cast<std::size_t>(delivery::outcome::unknown)] +
                       all.count[static_cast<std::size_t>(delivery::outcome::no_memory)];
  const bool good = sites > 0 && unknown * 100 <= sites;
  if (!good) std::fprintf(stderr, "there are none, or too many are not understood\n");
  return good ? 0 : 1;
}
