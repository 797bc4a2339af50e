// SPDX-License-Identifier: MIT
// /api/histograms, /api/scatter, /api/survival, /api/promotion
#include <algorithm>

#include "export/export.hpp"
#include "serve/routes_json.hpp"

namespace memprof::serve {
namespace {

using exports::json_number;

json curve_json(json name, analysis::index_usage const& u) {
  json points = json::array();
  for (auto const& p : analysis::survival_of(*u.index, u.choice)) {
    points.push_back(
        json::array({p.age, json_number(p.share), json_number(p.lower), json_number(p.upper)}));
  }
  return {{"name", std::move(name)}, {"points", std::move(points)}};
}

}  // namespace

json histograms_json(query const& a, parameters& p) {
  p.finish();
  const auto usage = a.frames();
  const auto histograms = analysis::histograms_of(*usage->index, usage->choice);
  const amount_writer amounts = a.amounts();
  const double word = a.facts().info.word_bytes();
  json sizes = json::array(), lifetimes = json::array();
  for (auto const& b : histograms.lengths) {
    sizes.push_back({{"from", json_number(static_cast<double>(b.from) * word)},
                     {"to", json_number(static_cast<double>(b.to) * word)},
                     {"samples", b.all.samples},
                     {"amount", amounts.object(b.all)}});
  }
  for (auto const& b : histograms.lifetimes) {
    lifetimes.push_back({{"from", b.from},
                         {"to", b.to},
                         {"samples", b.all.samples},
                         {"amount", amounts.object(b.all)},
                         {"died", b.died},
                         {"survived", b.survived}});
  }
  return {{"sizes", std::move(sizes)}, {"lifetimes", std::move(lifetimes)}};
}

json scatter_json(query const& a, parameters& p) {
  const std::size_t most = p.count("points", 4000, 1, 100'000);
  p.finish();
  const auto usage = a.frames();
  json points = json::array();
  for (auto const& s : analysis::scatter_of(*usage->index, usage->choice, most)) {
    points.push_back(json::array(
        {s.life.born.count(), s.life.lifetime.count(), s.samples, s.life.died ? 1 : 0}));
  }
  return {{"points", std::move(points)}, {"objects", usage->choice.count}};
}

json survival_json(query const& a, parameters& p) {
  const std::vector<std::string> functions = p.texts("functions");
  if (functions.size() > 16) throw bad_parameter("functions", "more than 16");
  p.finish();
  json curves = json::array();
  curves.push_back(curve_json(nullptr, *a.frames()));
  for (std::string const& f : functions) curves.push_back(curve_json(f, *a.under(f).frames()));
  return {{"curves", std::move(curves)}};
}

json promotion_json(query const& a, parameters& p) {
  const std::size_t limit = p.count("limit", 100, 1, 100'000);
  p.finish();
  const auto rows = analysis::promotion_of(*a.sites(), analysis::grouping::site);
  const amount_writer amounts = a.amounts();
  json list = json::array();
  for (std::size_t i = 0; i < std::min(limit, rows.size()); ++i) {
    auto const& r = rows[i];
    list.push_back(json::array({r.name, amounts.list(r.minor), amounts.list(r.promoted),
                                json_number(r.share.value), json_number(r.share.lower),
                                json_number(r.share.upper)}));
  }
  const std::size_t more = rows.size() - list.size();
  return {{"rows", std::move(list)}, {"more", more}};
}

}  // namespace memprof::serve
