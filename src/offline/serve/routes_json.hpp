// SPDX-License-Identifier: MIT
/// \file
/// The answers of docs/serve.md, one function for each route. Each takes its parameters out of `p`
/// and leaves what it does not know; asks that no parameter is left before it works.
///
/// throws      bad_parameter.
#pragma once

#include <string>

#include "serve/query.hpp"

namespace memprof::serve {

/// growing     of /api/trace, which no selection narrows.
[[nodiscard]] json trace_json(served_trace const& trace, std::string const& version);

[[nodiscard]] json graph_json(query const& a, parameters& p);
/// function    by its whole name.
[[nodiscard]] json around_json(query const& a, std::string const& function, parameters& p);
[[nodiscard]] json table_json(query const& a, parameters& p);
[[nodiscard]] std::string folded_text(query const& a, parameters& p);

[[nodiscard]] json series_json(query const& a, parameters& p);
[[nodiscard]] json stacked_json(query const& a, parameters& p);
[[nodiscard]] json ages_json(query const& a, parameters& p);

[[nodiscard]] json histograms_json(query const& a, parameters& p);
[[nodiscard]] json scatter_json(query const& a, parameters& p);
[[nodiscard]] json survival_json(query const& a, parameters& p);
[[nodiscard]] json promotion_json(query const& a, parameters& p);

[[nodiscard]] json suspects_json(query const& a, parameters& p);

/// base, after from one selection to the other, perhaps of two traces.
[[nodiscard]] json diff_json(query const& base, query const& after, parameters& p);

}  // namespace memprof::serve
