// SPDX-License-Identifier: MIT
#include "analysis/call_tree_folded.hpp"

#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <string>
#include <vector>

namespace memprof::analysis {

void write_folded(call_tree const& tree, trace::info const& info, folded_options const& o,
                  std::function<void(std::string_view)> const& write) {
  const child_lists children = tree.children_by_name();
  struct place {
    call_tree::node_id node;
    std::size_t next;
    std::size_t path_length;  // of the path before this node
  };
  std::string path;
  std::string out;
  std::vector<place> stack{{0, 0, 0}};
  while (!stack.empty()) {
    place& p = stack.back();
    if (p.next == children.of(p.node).size()) {
      path.resize(p.path_length);
      stack.pop_back();
      continue;
    }
    const call_tree::node_id child = children.of(p.node)[p.next++];
    const std::size_t before = path.size();
    if (stack.size() > 1) path += ';';
    for (const char c : tree.name(child)) path += c == ';' ? ':' : c == '\n' || c == '\r' ? ' ' : c;
    const std::uint64_t samples = tree.nodes()[child].own;
    if (samples > 0 && (stack.size() > 1 || o.short_paths)) {
      const auto line = std::back_inserter(out);
      if (o.unit_bytes) {
        const double bytes = info.bytes_of(static_cast<double>(samples));
        fmt::format_to(line, "{} {}\n", path, std::llround(bytes));
      } else {
        fmt::format_to(line, "{} {}\n", path, samples);
      }
      if (out.size() > 1 << 16) {
        write(out);
        out.clear();
      }
    }
    stack.push_back({child, 0, before});
  }
  write(out);
}

}  // namespace memprof::analysis
