// SPDX-License-Identifier: MIT
#include "serve/single_file.hpp"

#include <stdexcept>
#include <vector>

#include "export/export.hpp"
#include "serve/packed_index.hpp"
#include "serve/routes.hpp"
#include "serve/routes_json.hpp"

namespace memprof::serve {
namespace {

std::string without_less_than(std::string const& text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      result += "\\u003c";  // within a string: JSON has it nowhere else
    } else {
      result += c;
    }
  }
  return result;
}

struct route_call {
  std::string path;
  std::vector<analysis::named_text> parameters;
};

/// What a page asks for that cannot narrow the selection.
std::vector<route_call> all_route_calls() {
  std::vector<route_call> all;
  for (char const* value : {"allocated", "in_use", "peak"}) {
    for (char const* from : {"main", "sites"}) {
      all.push_back({"/api/graph", {{"value", value}, {"from", from}}});
    }
    for (char const* by : {"function", "site", "file", "module"}) {
      all.push_back({"/api/table", {{"by", by}, {"value", value}}});
    }
    all.push_back({"/api/folded", {{"value", value}}});
  }
  for (char const* by : {"function", "site", "module"}) {
    all.push_back({"/api/stacked", {{"by", by}}});
  }
  for (char const* path : {"/api/series", "/api/histograms", "/api/scatter", "/api/survival",
                           "/api/promotion", "/api/ages", "/api/suspects"}) {
    all.push_back({path, {}});
  }
  return all;
}

std::string key_of(route_call const& q) {
  std::string key = q.path;
  for (auto const& p : q.parameters) {
    key += (key.size() == q.path.size() ? '?' : '&') + p.name + '=' + p.value;
  }
  return key;
}

json answers_of(std::shared_ptr<served_trace> const& trace, std::string const& version) {
  const service answers(trace, nullptr, version);
  json all = json::object();
  for (route_call const& q : all_route_calls()) {
    const response r = answers.answer({q.path, q.parameters});
    all[key_of(q)] = q.path == "/api/folded" ? json(r.body) : json::parse(r.body);
  }
  return all;
}

}  // namespace

std::string single_file_data(std::shared_ptr<served_trace> const& trace, std::string const& version,
                             std::uint64_t most_objects) {
  json data;
  data["trace"] = trace_json(*trace, version);
  data["trace"]["growing"] = false;
  const auto state = trace->now();
  if (state->index->objects().size() > most_objects) {
    data["trace"]["frozen"] = json::object();  // the selection: everything
    data["answers"] = answers_of(trace, version);
  } else {
    packed_index packed = pack(*state->index);
    data["index"] = std::move(packed.index);
    data["tables"] = std::move(packed.tables);
  }
  return without_less_than(exports::json_text(data));
}

std::string with_data(std::string_view page, std::string_view data) {
  constexpr std::string_view open = "<script id=\"memprof-data\" type=\"application/json\">";
  const std::size_t at = page.find(open);
  const std::size_t end = at == page.npos ? page.npos : page.find("</script>", at);
  if (end == page.npos) {
    throw std::runtime_error("the page has no element memprof-data to put the trace in");
  }
  std::string result(page.substr(0, at + open.size()));
  result += data;
  result += page.substr(end);
  return result;
}

}  // namespace memprof::serve
