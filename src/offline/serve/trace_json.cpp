// SPDX-License-Identifier: MIT
// /api/trace
#include <algorithm>
#include <filesystem>

#include "export/export.hpp"
#include "serve/routes_json.hpp"

namespace memprof::serve {
namespace {

/// Those that a block was ever on.
json heaps_of(analysis::object_columns const& o) {
  bool minor = false, major = false, external = false;
  for (std::size_t i = 0; i < o.size(); ++i) {
    minor = minor || o.source[i] == trace::heap::minor;
    major = major || o.source[i] == trace::heap::major ||
            o.promoted[i] != analysis::object_columns::never;
    external = external || o.source[i] == trace::heap::external;
  }
  json list = json::array();
  if (minor) list.push_back("minor");
  if (major) list.push_back("major");
  if (external) list.push_back("external");
  return list;
}

json limits_of(analysis::trace_facts const& facts) {
  json list = json::array();
  for (auto const& [what, stack] : facts.interrupts) {
    list.push_back({{"time_us", what.time.count()},
                    {"kind", to_string(what.kind)},
                    {"allowed", what.allowed},
                    {"measured", what.measured},
                    {"deferrals", what.deferrals},
                    {"thread", what.thread},
                    {"stack", stack}});
  }
  return list;
}

}  // namespace

json trace_json(served_trace const& served, std::string const& version) {
  const auto state = served.now();
  analysis::trace_facts const& facts = state->index->facts();
  trace::info const& info = facts.info;
  const amount_writer amounts(info, *state->errors);
  json j;
  j["api"] = 1;
  j["memprof"] = version;
  j["file"] = std::filesystem::path(state->file).filename().string();
  j["bytes"] = facts.bytes;
  j["executable"] = info.executable_name;
  j["pid"] = info.pid;
  j["host"] = info.host_name;
  j["context"] = info.context;
  j["start_time_us"] = info.start_time.time_since_epoch().count();
  j["word_bytes"] = exports::json_number(info.word_bytes());
  j["sample_rate"] = info.sample_rate;
  j["version"] = info.version;
  j["confidence"] = 0.95;
  j["events"] = facts.events;
  j["objects"] = state->index->objects().size();
  j["duration_us"] = facts.duration.count();
  j["peak_time_us"] = facts.peak_time.count();
  j["total"] = amounts.object(state->whole->total);
  j["heaps"] = heaps_of(state->index->objects());
  j["domains"] = facts.domains;
  j["generation"] = state->generation;
  j["growing"] = served.growing();
  j["damage"] = facts.damage ? json(*facts.damage) : json(nullptr);
  j["other"] = nullptr;
  j["limits"] = limits_of(facts);
  j["frozen"] = nullptr;
  return j;
}

}  // namespace memprof::serve
