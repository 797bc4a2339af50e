// SPDX-License-Identifier: MIT
/// \file
/// The resolver that a command's options ask for.
#pragma once

#include <memory>

#include "symbolize/symbolize.hpp"
#include "tools/trace_input.hpp"

namespace memprof::tools {

/// Null with --no-symbols.
[[nodiscard]] std::shared_ptr<symbolize::resolver> make_resolver(reading_options const& options);

/// What was odd about symbols, on stderr, unless --quiet. Null: nothing.
void say_notices(symbolize::resolver const* resolver, reading_options const& options);

}  // namespace memprof::tools
