// SPDX-License-Identifier: MIT
/// \file
/// What the program publishes on the page of metrics.
#pragma once

#include "memprof/serve/metrics.hpp"

namespace memprof::endpoints {

/// The use of all published budgets, a family after the other.
void add_budgets(serve::metrics& page);
/// The families of the program's own functions.
/// \return the page with them. A function that throws leaves no trace on it.
void add_published_families(serve::metrics& page);
/// How often such a function has thrown.
[[nodiscard]] unsigned long long failed_families() noexcept;

}  // namespace memprof::endpoints
