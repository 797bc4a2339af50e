// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "page_server/served_trace.hpp"
#include "support/traces.hpp"

namespace memprof::page_server {

/// A golden trace, as it is served.
inline std::shared_ptr<served_trace> trace_named(char const* name) {
  return std::make_shared<served_trace>(
      trace_options{.file = (memprof::test::traces_directory() / name).string(),
                    .recover = false,
                    .awaited = false,
                    .names = nullptr,
                    .version = "test"});
}

}  // namespace memprof::page_server
