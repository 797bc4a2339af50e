// SPDX-License-Identifier: MIT
// Names that nobody vouches for.
//
//     test_hostile_names write FILE NAME     a trace in which all that has a name has this one
//     test_hostile_names hold NAME           a program with a thread of that name, which takes more
//                                            and more memory
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <sys/prctl.h>
#include <thread>

#include "memprof/trace/writer.hpp"

namespace {

namespace trace = memprof::trace;
using std::chrono::microseconds;

int write(char const* file, std::string const& name) {
  trace::info facts;
  facts.sample_rate = 0.01;
  facts.executable_name = "/" + name;
  facts.host_name = facts.runtime_parameters = facts.context = name;
  facts.pid = 1;
  // Code of its own, of an unknown name, of one that is only an address, and inlined calls.
  std::array<trace::location, 2> found;
  const std::string module = "/" + name;
  const std::string other = name + " of another function";
  trace::writer to(file, facts, [&](trace::location_code code) -> std::span<trace::location const> {
    if (code == 3) return {};
    found[0] = {.filename = name, .defname = code == 2 ? other : name, .line = 12};
    if (code == 4) found[0] = {.filename = module, .defname = "0x1234"};
    found[1] = {.filename = name, .defname = other, .line = 7};
    return std::span(found).first(code == 2 ? 2 : 1);
  });
  to.put(trace::thread{.number = 1, .id = 7, .name = name});
  to.put(trace::note{"command", name});
  to.put(trace::note{"ended", name});
  to.put(trace::note{"fault", name});
  to.put(trace::note{"threads", "7 " + name});
  to.put(trace::note{"resident", name});
  to.put(trace::note{"note of " + name.substr(1, 40), name});
  to.put(trace::note{"module", "1 9 0 0123456789abcdef " + module});
  const std::array<trace::location_code, 4> stack{1, 2, 3, 4};
  for (int i = 0; i < 200; ++i) {
    const auto block = to.allocation(microseconds(i), trace::heap::major, 300, 3,
                                     std::span(stack).first(1 + i % 4), 0, 1);
    if (i % 2 == 0) to.collection(microseconds(i), block);
  }
  const trace::location place{.filename = name, .defname = name, .line = 3};
  to.put(trace::interrupt{
      .time = microseconds(200), .allowed = 1, .measured = 2, .stack = {&place, 1}});
  to.close();
  return 0;
}

int hold(char const* name) {
  std::jthread named([&] {
    prctl(PR_SET_NAME, name);
    for (int i = 0; i < 500; ++i) {
      void* const block = std::malloc(1 << 20);
      std::memset(block, 1, 1 << 20);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  });
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "write" && argc == 4) return write(argv[2], argv[3]);
  if (what == "hold" && argc == 3) return hold(argv[2]);
  return 2;
}
