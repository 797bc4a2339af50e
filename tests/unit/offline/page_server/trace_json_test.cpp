// SPDX-License-Identifier: MIT
#include "page_server/trace_json.hpp"

#include "support/catch2.hpp"

using namespace memprof::page_server;

TEST_CASE("the notes of a trace are by their names, the last one counts") {
  memprof::analysis::trace_facts facts;
  facts.notes = {{"ended", "exit 0"}, {"resident_peak", "1"}, {"resident_peak", "2097152"}};
  const json j = trace_json(facts, "a.ctf", "test", 1, {});
  CHECK(j["notes"] == json{{"ended", "exit 0"}, {"resident_peak", "2097152"}});
  CHECK(trace_json({}, "a.ctf", "test", 1, {})["notes"] == json::object());
}

TEST_CASE("a trace says how much of it is in the index") {
  memprof::analysis::trace_facts facts;
  facts.objects = 10;
  const json whole = trace_json(facts, "a.ctf", "test", 1, {.objects = 10});
  CHECK(whole["objects"] == 10);
  CHECK(whole["kept_objects"] == 10);
  CHECK(whole["stack_ends"].is_null());
  const json part = trace_json(facts, "a.ctf", "test", 1, {.objects = 7, .ends = 16});
  CHECK(part["kept_objects"] == 7);
  CHECK(part["stack_ends"] == 16);
}
