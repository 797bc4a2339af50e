// SPDX-License-Identifier: MIT
/// \file
/// Call trees as nested JSON.
#pragma once

#include <functional>
#include <string_view>

#include "analysis/analysis.hpp"

namespace memprof::exports {

/// {"name": "all", "samples": N, "children": [...]}, with the samples of a node and all below it:
/// depth first, children by name. A node a line, without indentation, so that the text grows with
/// the nodes and not with their depth. Nodes without samples are left out, and so is an empty list
/// of children. `write` gets some lines at a time.
void write_json_tree(analysis::call_tree const& tree,
                     std::function<void(std::string_view)> const& write);

/// The same text as of a call tree in which recursion is not folded, without the tree, which would
/// have a node for each call.
///
/// \note Cost: grows with the calls of all stacks.
/// \note Memory: some 40 bytes for each stack.
void write_json_tree(analysis::usage const& u, analysis::call_tree_options const& of,
                     std::function<void(std::string_view)> const& write);

}  // namespace memprof::exports
