// SPDX-License-Identifier: MIT
/// \file
/// Folded stacks of a call tree.
#pragma once

#include <functional>
#include <string_view>

#include "analysis/call_tree.hpp"

namespace memprof::analysis {

/// Folded stacks, "f1;f2;f3 VALUE", as flame graph programs read them: depth first, children by
/// name.
///
///  - `unit_bytes`: estimated bytes in place of samples.
///  - `short_paths`: paths of a single function, too, which memtrace leaves out.
struct folded_options {
  bool unit_bytes = false;
  bool short_paths = false;
};

/// `write` gets some lines at a time. With the defaults: memtrace's `flamegraph`, for a tree
/// without unknown codes. In other names than those, ';' and newlines become ':' and blanks.
void write_folded(call_tree const& tree, trace::info const& info, folded_options const& o,
                  std::function<void(std::string_view)> const& write);

/// The same lines as of a call tree in which recursion is not folded, without the tree, which would
/// have a node for each call.
void write_folded(usage const& u, call_tree_options const& of, folded_options const& o,
                  std::function<void(std::string_view)> const& write);

}  // namespace memprof::analysis
