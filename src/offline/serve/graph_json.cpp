// SPDX-License-Identifier: MIT
// /api/graph, /api/around, /api/folded
#include <optional>
#include <string_view>
#include <vector>

#include "export/export.hpp"
#include "serve/node_flags.hpp"
#include "serve/routes_json.hpp"

namespace memprof::serve {
namespace {

using analysis::call_tree;
using analysis::measure;
using analysis::pruned_tree;

/// [name, flags, SELF, TOTAL, children, hidden], from the leaves up: trees may be deep.
json node_json(call_tree const& tree, pruned_tree const& pruned, measure m,
               amount_writer const& amounts, std::string const& root_name, bool root_is_function) {
  std::vector<json> nodes(pruned.nodes.size());
  for (std::size_t i = nodes.size(); i-- > 0;) {
    analysis::pruned_node const& n = pruned.nodes[i];
    call_tree::node const& t = tree.nodes()[n.id];
    json children = json::array();
    for (const std::uint32_t c : n.children) children.push_back(std::move(nodes[c]));
    json hidden = nullptr;
    if (n.hidden_children > 0) {
      hidden = json::array({n.hidden_children, amounts.list(n.hidden)});
    }
    std::string const& name = i == 0 ? root_name : tree.name(n.id);
    const unsigned flags =
        i == 0 && !root_is_function ? 0 : flags_of(name, t.inlined, is_code(name));
    nodes[i] =
        json::array({name, flags, amounts.list(amount_of(t.own, m)),
                     amounts.list(amount_of(t.total, m)), std::move(children), std::move(hidden)});
  }
  return std::move(nodes.front());
}

json nothing(std::string const& name, amount_writer const& amounts) {
  return json::array({name, flags_of(name, false, is_code(name)), amounts.list(analysis::amount{}),
                      amounts.list(analysis::amount{}), json::array(), nullptr});
}

}  // namespace

json graph_json(query const& a, parameters& p) {
  const measure m = measure_of(p);
  const bool from_sites = p.choice("from", {"main", "sites"}) == 1;
  const bool keep = p.choice("recursion", {"fold", "keep"}) == 1;
  const bool inlines = p.flag("inlined", true);
  const double least = p.share("least", 0.001);
  const std::vector<std::string> zoom = p.texts("zoom");
  p.finish();
  const auto usage = from_sites ? a.sites(inlines) : a.frames(inlines);
  const call_tree tree(usage->view(), {.fold_recursion = !keep, .from_allocator = from_sites});
  const amount_writer amounts = a.amounts();
  json j{{"value", name_of(m)}, {"from", from_sites ? "sites" : "main"}};
  const std::optional<call_tree::node_id> root = analysis::find_path(tree, zoom);
  const pruned_tree pruned = root ? analysis::prune(tree, m, *root, least) : pruned_tree{};
  j["least"] = exports::json_number(root ? pruned.least : least);
  j["total"] = amounts.list(amount_of(usage->total, m));
  j["whole"] = amounts.list(amount_of(a.state().whole->total, m));
  const std::string name = zoom.empty() ? "(all)" : zoom.back();
  j["root"] =
      root ? node_json(tree, pruned, m, amounts, name, !zoom.empty()) : nothing(name, amounts);
  return j;
}

json around_json(query const& a, std::string const& function, parameters& p) {
  const measure m = measure_of(p);
  const bool keep = p.choice("recursion", {"fold", "keep"}) == 1;
  const bool inlines = p.flag("inlined", true);
  const double least = p.share("least", 0.001);
  p.finish();
  const auto usage = a.frames(inlines);
  const auto side = [&](call_tree const& tree) {
    return node_json(tree, analysis::prune(tree, m, 0, least), m, a.amounts(), function, true);
  };
  json j;
  j["callers"] = side(call_tree::callers_of(usage->view(), function, !keep));
  j["callees"] = side(call_tree::callees_of(usage->view(), function, !keep));
  return j;
}

std::string folded_text(query const& a, parameters& p) {
  const measure m = measure_of(p);
  const bool unit_bytes = p.choice("unit", {"samples", "bytes"}) == 1;
  p.finish();
  const auto usage = a.frames();
  const call_tree tree(usage->view(), {.unknown = false});
  std::string text;
  analysis::write_folded(tree, a.facts().info, {.value = m, .unit_bytes = unit_bytes},
                         [&](std::string_view part) { text += part; });
  return text;
}

}  // namespace memprof::serve
