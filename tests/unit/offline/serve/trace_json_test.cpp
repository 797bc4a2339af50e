// SPDX-License-Identifier: MIT
#include "serve/trace_json.hpp"

#include "support/catch2.hpp"

using namespace memprof::serve;

TEST_CASE("the notes of a trace are by their names, the last one counts") {
  memprof::analysis::trace_facts facts;
  facts.notes = {{"ended", "exit 0"}, {"resident_peak", "1"}, {"resident_peak", "2097152"}};
  const json j = trace_json(facts, "a.ctf", "test", 1, 0);
  CHECK(j["notes"] == json{{"ended", "exit 0"}, {"resident_peak", "2097152"}});
  CHECK(trace_json({}, "a.ctf", "test", 1, 0)["notes"] == json::object());
}
