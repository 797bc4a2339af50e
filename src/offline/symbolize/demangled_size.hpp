// SPDX-License-Identifier: MIT
/// \file
/// How long the C++ name of a mangled one can be, before it is made.
#pragma once

#include <optional>
#include <string_view>

namespace memprof::symbolize {

/// At least as many characters as __cxa_demangle makes of the name, and seldom many more. A name of
/// 500 characters may mean 2^100, because a substitution (S_, T0_) repeats a part of the name with
/// the substitutions in it.
///
/// returns     none if the name contains what this does not follow: most expressions, conversion
///             operators, special names, new or malformed forms.
/// cost        linear in the name.
std::optional<double> demangled_size(std::string_view name);

}  // namespace memprof::symbolize
