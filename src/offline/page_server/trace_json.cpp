// SPDX-License-Identifier: MIT
#include "page_server/trace_json.hpp"

#include <filesystem>

#include "export/export.hpp"
#include "text/text.hpp"

namespace memprof::page_server {
namespace {

json heaps_of(analysis::trace_facts const& facts) {
  json list = json::array();
  constexpr char const* names[] = {"minor", "major", "external"};
  for (std::size_t i = 0; i < facts.heaps.size(); ++i) {
    if (facts.heaps[i]) list.push_back(names[i]);
  }
  return list;
}

json printable_list(std::vector<std::string> const& names) {
  json list = json::array();
  for (std::string const& n : names) list.push_back(text::printable(n));
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
                    {"stack", printable_list(stack)}});
  }
  return list;
}

}  // namespace

json trace_json(analysis::trace_facts const& facts, std::string const& file,
                std::string const& version, std::uint64_t generation, kept_parts const& kept) {
  trace::info const& info = facts.info;
  json j;
  j["api"] = 2;
  j["memprof"] = version;
  j["file"] = text::printable(std::filesystem::path(file).filename().string());
  j["bytes"] = facts.bytes;
  j["executable"] = text::printable(info.executable_name);
  j["pid"] = info.pid;
  j["host"] = text::printable(info.host_name);
  j["context"] = text::printable(info.context);
  j["start_time_us"] = info.start_time.time_since_epoch().count();
  j["word_bytes"] = exports::json_number(info.word_bytes());
  const auto one_of = static_cast<double>(std::uint64_t{1} << facts.halvings);
  j["sample_rate"] = info.sample_rate / one_of;
  j["file_sample_rate"] = info.sample_rate;
  j["version"] = info.version;
  j["events"] = facts.events;
  j["objects"] = facts.objects;
  j["kept_objects"] = kept.objects;
  j["stack_ends"] = kept.ends == 0 ? json(nullptr) : json(kept.ends);
  j["duration_us"] = facts.duration.count();
  j["heaps"] = heaps_of(facts);
  j["domains"] = facts.domains;
  j["thread_names"] = printable_list(facts.thread_names);
  j["generation"] = generation;
  j["damage"] = facts.damage ? json(text::printable(*facts.damage)) : json(nullptr);
  j["limits"] = limits_of(facts);
  j["notes"] = json::object();
  for (auto const& [name, value] : facts.notes) {
    j["notes"][text::printable(name)] = text::with_printable_lines(value, false);
  }
  return j;
}

}  // namespace memprof::page_server
