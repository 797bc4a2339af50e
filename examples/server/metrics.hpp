// SPDX-License-Identifier: MIT
/// \file
/// The page that Prometheus reads.
#pragma once

#include <cstddef>
#include <string>

#include "counters.hpp"

namespace example::server {

inline constexpr char metrics_content_type[] = "text/plain; version=0.0.4; charset=utf-8";

/// The library's counters and the service's own, in the text format 0.0.4.
std::string metrics_page(request_counters const& requests, std::size_t running_tasks);

}  // namespace example::server
