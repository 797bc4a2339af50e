// SPDX-License-Identifier: MIT
/// \file
/// The resolver as set by a command's options.
#pragma once

#include <memory>

#include "symbolize/symbolize.hpp"
#include "tools/trace_input.hpp"

namespace memprof::tools {

/// How code without symbols is named: by where its function begins, for what sums up functions, or
/// by the address itself, for what shows each call.
enum class unnamed_code { by_function, by_address };

/// Null with --no-symbols.
[[nodiscard]] std::shared_ptr<symbolize::resolver> make_resolver(
    reading_options const& options, unnamed_code unnamed = unnamed_code::by_function);

/// Prints the resolver's notices on stderr, unless --quiet. Null: none.
void say_notices(symbolize::resolver const* resolver, reading_options const& options);

}  // namespace memprof::tools
