// SPDX-License-Identifier: MIT
/// \file
/// What every route over a selection works with.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "serve/amount_json.hpp"
#include "serve/request.hpp"
#include "serve/served_trace.hpp"

namespace memprof::serve {

/// One trace, as it was when the request came, and the selection that was asked for.
class query {
 public:
  /// Takes the parts of the selection out of `p`.
  query(served_trace& trace, parameters& p) : query(trace, p.selection()) {}
  query(served_trace& trace, std::vector<analysis::named_text> selection)
      : trace_(trace), state_(trace.now()), selection_(std::move(selection)) {}

  /// Frames as `memprof tree` and `flamegraph` show them: nothing hidden but what is asked.
  [[nodiscard]] std::shared_ptr<analysis::index_usage const> frames(bool inlines = true) const {
    return trace_.usage(*state_, selection_, false, inlines);
  }
  /// As `memprof top` and `memprof tree --bottom-up` do: what only passes memory on is hidden.
  [[nodiscard]] std::shared_ptr<analysis::index_usage const> sites(bool inlines = true) const {
    return trace_.usage(*state_, selection_, true, inlines);
  }
  /// The same selection, and blocks below one more function.
  [[nodiscard]] query under(std::string const& function) const {
    auto narrower = selection_;
    narrower.push_back({"function", "=" + function});
    query a(trace_, std::move(narrower));
    a.state_ = state_;
    return a;
  }

  [[nodiscard]] trace_state const& state() const noexcept { return *state_; }
  [[nodiscard]] analysis::trace_facts const& facts() const noexcept {
    return state_->index->facts();
  }
  [[nodiscard]] amount_writer amounts() const {
    return {state_->index->facts().info, *state_->errors};
  }

 private:
  served_trace& trace_;
  std::shared_ptr<trace_state const> state_;
  std::vector<analysis::named_text> selection_;
};

/// value=allocated|in_use|peak
[[nodiscard]] analysis::measure measure_of(parameters& p);
[[nodiscard]] char const* name_of(analysis::measure m) noexcept;
/// by=function|site|file|module
[[nodiscard]] analysis::grouping grouping_of(parameters& p);

}  // namespace memprof::serve
