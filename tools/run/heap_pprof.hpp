// SPDX-License-Identifier: MIT
/// \file
/// Profiles for pprof of what a program under `memprof run` has.
#pragma once

#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "analysis/analysis.hpp"
#include "export/export.hpp"
#include "symbolize/symbolize.hpp"
#include "trace/trace.hpp"

namespace memprof::tools {

/// \tparam Heap recorder::live_snapshot or recorder::heap_rows.
/// \param default_type what pprof shows first.
template <class Heap>
[[nodiscard]] std::string pprof_of(Heap const& heap,
                                   std::shared_ptr<symbolize::resolver> const& names,
                                   char const* default_type = "inuse_space") {
  const trace::legend legend = trace::legend::of(heap);
  analysis::usage_builder builder(heap.info(), {.chosen = {}, .names = names, .by_size = true});
  heap.for_each_event([&](trace::event const& e) { builder.add(e, legend); });
  std::ostringstream out;
  exports::write_pprof(out, builder.finish(), legend, default_type);
  return std::move(out).str();
}

}  // namespace memprof::tools
