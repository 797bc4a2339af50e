// SPDX-License-Identifier: MIT
#include "analysis/call_tree_folded.hpp"

#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <string>
#include <vector>

#include "analysis/sorted_paths.hpp"
#include "text/text.hpp"

namespace memprof::analysis {
namespace {

class line_writer {
 public:
  line_writer(trace::info const& info, folded_options const& o,
              std::function<void(std::string_view)> const& write)
      : info_(info), o_(o), write_(write) {}

  /// A name at the end of a path.
  static void append(std::string& path, std::string_view name) {
    if (!path.empty()) path += ';';
    for (const char c : text::printable(name)) path += c == ';' ? ':' : c;
  }

  /// \param length names in the path.
  void line(std::string_view path, int length, std::uint64_t samples) {
    if (samples == 0 || length < (o_.short_paths ? 1 : 2)) return;
    const auto end = std::back_inserter(out_);
    if (o_.unit_bytes) {
      const double bytes = info_.bytes_of(static_cast<double>(samples));
      fmt::format_to(end, "{} {}\n", path, std::llround(bytes));
    } else {
      fmt::format_to(end, "{} {}\n", path, samples);
    }
    if (out_.size() > 1 << 16) finish();
  }
  void finish() {
    write_(out_);
    out_.clear();
  }

 private:
  trace::info const& info_;
  folded_options const& o_;
  std::function<void(std::string_view)> const& write_;
  std::string out_;
};

}  // namespace

void write_folded(call_tree const& tree, trace::info const& info, folded_options const& o,
                  std::function<void(std::string_view)> const& write) {
  const child_lists children = tree.children_by_name();
  struct place {
    call_tree::node_id node;
    std::size_t next;
    std::size_t path_length;  // of the path before this node
  };
  std::string path;
  line_writer lines(info, o, write);
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
    line_writer::append(path, tree.name(child));
    lines.line(path, static_cast<int>(stack.size()), tree.nodes()[child].own);
    stack.push_back({child, 0, before});
  }
  lines.finish();
}

void write_folded(usage const& u, call_tree_options const& of, folded_options const& o,
                  std::function<void(std::string_view)> const& write) {
  sorted_paths paths(u, of.unknown, of.value);
  line_writer lines(u.info, o, write);
  std::string path;
  for (sorted_paths::path const& p : paths.all()) {
    path.clear();
    int length = 0;
    paths.for_each_name(p, [&](name_table::id name) {
      line_writer::append(path, paths.names().text(name));
      ++length;
    });
    lines.line(path, length, p.samples);
  }
  lines.finish();
}

}  // namespace memprof::analysis
