// SPDX-License-Identifier: MIT
#include "planted_bias/fault.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace memprof::test {

constinit std::atomic<fault> planted{fault::none};

namespace {

constexpr std::pair<char const*, fault> names[] = {
    {"rate", fault::rate},
    {"gap_too_long", fault::gap_too_long},
    {"uniform_gaps", fault::uniform_gaps},
    {"rest_not_drawn", fault::rest_not_drawn},
    {"late_arming", fault::late_arming},
    {"old_gap_kept", fault::old_gap_kept},
    {"shared_stream", fault::shared_stream},
    {"first_gap", fault::first_gap},
    {"thinning", fault::thinning},
    {"fork_replays", fault::fork_replays},
    {"rate_forgotten", fault::rate_forgotten},
    {"whole_bytes", fault::whole_bytes},
    {"one_sided", fault::one_sided},
    {"lost_in_realloc", fault::lost_in_realloc},
};

[[maybe_unused]] const bool read = [] {
  char const* const wanted = std::getenv("MEMPROF_TEST_FAULT");
  if (wanted == nullptr) return false;
  for (auto const& [name, f] : names) {
    if (std::strcmp(name, wanted) == 0) {
      planted.store(f);
      return true;
    }
  }
  std::fprintf(stderr, "MEMPROF_TEST_FAULT: there is no fault '%s'\n", wanted);
  std::exit(2);
}();

}  // namespace
}  // namespace memprof::test
