// SPDX-License-Identifier: MIT
/// \file
/// Folded stacks of a call tree.
#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/call_tree.hpp"

namespace memprof::analysis {

/// Folded stacks, "f1;f2;f3 VALUE", as flame graph programs read them: depth first, children by
/// name.
///
/// unit_bytes      estimated bytes in place of samples.
/// short_paths     paths of a single function, too, which memtrace leaves out.
struct folded_options {
  measure value = measure::allocated;
  bool unit_bytes = false;
  bool short_paths = false;
};

/// `write` gets some lines at a time. With the defaults: memtrace's `flamegraph`, for a tree
/// without unknown codes. In other names than those, ';' and newlines become ':' and blanks.
template <class Write>
void write_folded(call_tree const& tree, trace::info const& info, folded_options const& o,
                  Write&& write) {
  const auto children = tree.children_by_name();
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
    if (p.next == children[p.node].size()) {
      path.resize(p.path_length);
      stack.pop_back();
      continue;
    }
    const call_tree::node_id child = children[p.node][p.next++];
    const std::size_t before = path.size();
    if (stack.size() > 1) path += ';';
    for (const char c : tree.name(child)) path += c == ';' ? ':' : c == '\n' || c == '\r' ? ' ' : c;
    const std::uint64_t samples = amount_of(tree.nodes()[child].own, o.value).samples;
    if (samples > 0 && (stack.size() > 1 || o.short_paths)) {
      out += path;
      out += ' ';
      const auto value = static_cast<double>(samples);
      out += o.unit_bytes ? std::to_string(std::llround(info.bytes_of(value)))
                          : std::to_string(samples);
      out += '\n';
      if (out.size() > 1 << 16) {
        write(std::string_view(out));
        out.clear();
      }
    }
    stack.push_back({child, 0, before});
  }
  write(std::string_view(out));
}

}  // namespace memprof::analysis
