// SPDX-License-Identifier: MIT
/// \file
/// What is known of the standard library's templates: default arguments, and names like
/// std::string.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace memprof::symbolize {

/// Takes the arguments from the end that are what `name`, without "std::", has by default:
///
///     "vector", {"int", "std::allocator<int>"}     {"int"}
///
/// \param arguments shortened themselves.
void drop_default_arguments(std::string_view name, std::vector<std::string>& arguments);

/// "std::string" for "basic_string" and {"char"}, "std::wstring" for {"wchar_t"}, and so on; empty
/// if there is no such name. Default arguments have been dropped.
std::string alias_of(std::string_view name, std::vector<std::string> const& arguments);

}  // namespace memprof::symbolize
