// SPDX-License-Identifier: MIT
// /api/diff
#include <array>
#include <vector>

#include "export/export.hpp"
#include "serve/node_flags.hpp"
#include "serve/routes_json.hpp"

namespace memprof::serve {
namespace {

using analysis::compared;
using analysis::normalization;
using exports::json_number;

constexpr std::array kinds{compared::self, compared::total, compared::paths};
constexpr std::array normalizations{normalization::none, normalization::total,
                                    normalization::duration};

json row_json(analysis::difference_row const& r) {
  return json::array({r.name, json_number(r.before), json_number(r.after), json_number(r.error),
                      json_number(r.chance), r.significant ? 1 : 0});
}

/// [name, flags, before, after, significant, children, hidden], from the leaves up.
json graph_of(std::vector<analysis::difference_node> const& tree) {
  std::vector<json> nodes(tree.size());
  for (std::size_t i = nodes.size(); i-- > 0;) {
    analysis::difference_node const& n = tree[i];
    json children = json::array();
    for (const std::uint32_t c : n.children) children.push_back(std::move(nodes[c]));
    json hidden = nullptr;
    if (n.hidden_children > 0) {
      hidden = json::array(
          {n.hidden_children, json_number(n.hidden_before), json_number(n.hidden_after)});
    }
    const unsigned flags = i == 0 ? 0U : flags_of(n.name, n.inlined, is_code(n.name));
    nodes[i] = json::array({n.name, flags, json_number(n.before), json_number(n.after),
                            n.significant ? 1 : 0, std::move(children), std::move(hidden)});
  }
  return std::move(nodes.front());
}

}  // namespace

json diff_json(query const& base, query const& after, parameters& p) {
  analysis::difference_options how;
  how.by = grouping_of(p);
  how.value = measure_of(p);
  how.what = kinds[p.choice("compare", {"self", "total", "paths"})];
  how.normalize = normalizations[p.choice("normalize", {"none", "total", "duration"})];
  const double least = p.share("least", 0.001);
  const std::size_t limit = p.count("limit", 500, 1, 100'000);
  p.finish();
  const bool paths = how.what == compared::paths;
  const auto before_usage = paths ? base.frames() : base.sites();
  const auto after_usage = paths ? after.frames() : after.sites();
  const auto difference = analysis::compare(before_usage->view(), after_usage->view(), how);
  json rows = json::array();
  for (std::size_t i = 0; i < std::min(limit, difference.rows.size()); ++i) {
    rows.push_back(row_json(difference.rows[i]));
  }
  const std::size_t more = difference.rows.size() - rows.size();
  json j{{"rows", std::move(rows)}, {"more", more}, {"total", row_json(difference.total)}};
  j["graph"] = nullptr;
  if (paths) {
    j["graph"] = graph_of(analysis::compare_trees(before_usage->view(), after_usage->view(),
                                                  {.how = how, .tree = {}, .least = least}));
  }
  return j;
}

}  // namespace memprof::serve
