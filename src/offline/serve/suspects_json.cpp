// SPDX-License-Identifier: MIT
// /api/suspects
#include "export/export.hpp"
#include "serve/routes_json.hpp"

namespace memprof::serve {
namespace {

char const* name_of(analysis::suspicion s) {
  switch (s) {
    case analysis::suspicion::leak:
      return "leak";
    case analysis::suspicion::queue:
      return "queue";
    case analysis::suspicion::cache:
      break;
  }
  return "cache";
}

json suspect_json(analysis::suspect const& s, amount_writer const& amounts) {
  json narrowed = json::object();
  for (analysis::named_text const& t : s.narrowed) narrowed[t.name].push_back(t.value);
  json samples = json::array();
  for (auto const& step : s.live.steps) samples.push_back(step.live);
  return {{"kind", name_of(s.what)},
          {"function", s.function},
          {"site", s.site},
          {"score", exports::json_number(s.score)},
          {"amount", amounts.object(s.held)},
          {"evidence", s.evidence},
          {"selection", std::move(narrowed)},
          {"sparkline", {{"step_us", s.live.step.count()}, {"samples", std::move(samples)}}}};
}

}  // namespace

json suspects_json(query const& a, parameters& p) {
  p.finish();
  const analysis::suspects found = analysis::find_suspects(*a.sites());
  const auto list = [&](std::vector<analysis::suspect> const& all) {
    json result = json::array();
    for (auto const& s : all) result.push_back(suspect_json(s, a.amounts()));
    return result;
  };
  return {
      {"leaks", list(found.leaks)}, {"queues", list(found.queues)}, {"caches", list(found.caches)}};
}

}  // namespace memprof::serve
