// SPDX-License-Identifier: MIT
#include "page_server/packed_index.hpp"

#include <algorithm>
#include <cstdint>

#include "export/export.hpp"
#include "page_columns/page_columns.hpp"

namespace memprof::page_server {
namespace {

using analysis::object_columns;

json names_of(analysis::name_table const& names) {
  json list = json::array();
  for (analysis::name_table::id i = 0; i < names.size(); ++i) list.push_back(names.text(i));
  return list;
}

json list_of(page_columns::column_list const& columns) {
  json list = json::array();
  for (auto const& c : columns.list()) list.push_back(json::array({c.name, c.type, c.size}));
  return list;
}

}  // namespace

std::string pack(analysis::trace_index const& index, frame_tree const& tree, json trace) {
  object_columns const& o = index.objects();
  auto const& changes = index.changes();
  const page_columns::column_list columns = page_columns::index_columns(
      tree.parents, tree.frames, o.size(),
      [&](std::size_t i) {
        return page_columns::index_block{
            .length = o.length[i],
            .samples = o.samples[i],
            .first = o.first[i],
            .second = o.second[i],
            .stack = tree.node_of(o.stack[i]),
            .where = static_cast<std::uint32_t>(o.source[i]) + 4U * o.domain[i],
            .between = o.between[i]};
      },
      changes.size(),
      [&](std::size_t i) {
        return page_columns::index_change{
            .block = changes[i].object,
            .kind = static_cast<page_columns::block_change>(changes[i].kind),
            .time = index.times()[i]};
      });

  json head;
  head["trace"] = std::move(trace);
  head["functions"] = names_of(tree.functions);
  head["files"] = names_of(tree.files);
  head["modules"] = names_of(tree.modules);
  head["frames"] = tree.table;
  head["columns"] = list_of(columns);
  return columns.behind(exports::json_text(head));
}

std::string base64(std::string_view bytes) {
  static constexpr char digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      three = three << 8 | (k < n ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= n ? digits[three >> (18 - 6 * k) & 63] : '=';
    }
  }
  return text;
}

}  // namespace memprof::page_server
