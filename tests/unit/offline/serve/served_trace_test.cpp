// SPDX-License-Identifier: MIT
#include "serve/served_trace.hpp"

#include <string>

#include "support/catch2.hpp"
#include "unit/offline/serve/trace_named.hpp"

using namespace memprof::serve;

TEST_CASE("a selection is computed once for all routes, and again after the file has changed") {
  auto const trace = trace_named("viewer_test_repo.ctf");
  const auto state = trace->now();
  const auto first = trace->usage(*state, {{"size-min", "40B"}}, false);
  CHECK(trace->usage(*state, {{"size-min", "40B"}}, false) == first);
  CHECK(trace->usage(*state, {{"size-min", "40B"}}, true) != first);
  CHECK_THROWS_AS(trace->usage(*state, {{"size-min", "40"}}, false),
                  memprof::analysis::selection_error);
  for (std::size_t i = 0; i < served_trace::most_usages; ++i) {
    static_cast<void>(trace->usage(*state, {{"size-min", std::to_string(i) + "B"}}, false));
  }
  CHECK(trace->usage(*state, {{"size-min", "40B"}}, false) != first);
  CHECK_FALSE(trace->refresh());
}
