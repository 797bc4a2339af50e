// SPDX-License-Identifier: MIT
/// \file
/// The resolver as set by a command's options.
#pragma once

#include <memory>

#include "symbolize/symbolize.hpp"
#include "tools/trace_input.hpp"

namespace memprof::tools {

/// Null with --no-symbols.
/// by_function     of symbolize::resolver_options.
[[nodiscard]] std::shared_ptr<symbolize::resolver> make_resolver(reading_options const& options,
                                                                 bool by_function = false);

/// Prints the resolver's notices on stderr, unless --quiet. Null: none.
void say_notices(symbolize::resolver const* resolver, reading_options const& options);

}  // namespace memprof::tools
