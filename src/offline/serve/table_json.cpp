// SPDX-License-Identifier: MIT
// /api/table
#include <algorithm>

#include "serve/routes_json.hpp"

namespace memprof::serve {

json table_json(query const& a, parameters& p) {
  const analysis::grouping by = grouping_of(p);
  const analysis::measure m = measure_of(p);
  const bool by_total = p.choice("sort", {"self", "total"}) == 1;
  const std::size_t limit = p.count("limit", 500, 1, 100'000);
  p.finish();
  const auto usage = a.sites();
  auto rows = analysis::function_table(usage->view(), by);
  const auto self = [&](auto const& r) { return amount_of(r.self, m).samples; };
  const auto total = [&](auto const& r) { return amount_of(r.total, m).samples; };
  std::erase_if(rows, [&](auto const& r) { return total(r) == 0; });
  std::sort(rows.begin(), rows.end(), [&](auto const& x, auto const& y) {
    const auto first = std::pair(by_total ? total(x) : self(x), by_total ? self(x) : total(x));
    const auto second = std::pair(by_total ? total(y) : self(y), by_total ? self(y) : total(y));
    return first != second ? first > second : x.name < y.name;
  });
  const amount_writer amounts = a.amounts();
  const std::size_t shown = std::min(limit, rows.size());
  json list = json::array();
  for (std::size_t i = 0; i < shown; ++i) {
    list.push_back(
        json::array({rows[i].name, amounts.list(rows[i].self), amounts.list(rows[i].total)}));
  }
  return {{"rows", std::move(list)}, {"more", rows.size() - shown}};
}

}  // namespace memprof::serve
