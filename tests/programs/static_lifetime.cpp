// SPDX-License-Identifier: MIT
// Limits in static initialisers, in static destructors, in atexit handlers, and exit() from within
// a task.
#include <cstdlib>
#include <map>
#include <string>

#include "memprof/memprof.hpp"

#include "check.hpp"

using namespace memprof::literals;

namespace {

bool limits_work() {
  const auto r = memprof::limit_allocations(1_MiB, [] {
    std::map<int, std::string> m;
    for (int i = 0;; ++i) m[i] = std::string(100, 'x');
  });
  return !r && r.error().kind() == memprof::limit_kind::allocations && !memprof::is_interrupted();
}

struct whole_life {
  whole_life() { CHECK(limits_work()); }
  ~whole_life() { CHECK(limits_work()); }
};

whole_life first;
std::map<int, std::string> freed_late;

}  // namespace

int main() {
  std::atexit([] { CHECK(limits_work()); });
  memprof::set_process_sampling_rate(memprof::sampling_rate{1.0});
  for (int i = 0; i < 1000; ++i) freed_late[i] = std::string(200, 'y');
  (void)memprof::limit_memory(1_GiB, [] {
    static whole_life second;
    freed_late[-1] = "from a task";
    std::exit(0);  // static destructors run inside the scope
  });
  return 1;
}
