// SPDX-License-Identifier: MIT
/// \file
/// Catch2, as the tests use it: version 3, or 2.13 where a distribution has nothing newer. What the
/// two call differently has the name of version 3 here.
#pragma once

#if __has_include(<catch2/catch_test_macros.hpp>)

#include <catch2/catch_approx.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/catch_tostring.hpp>
#include <catch2/generators/catch_generators_all.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Approx;

#else

#include <catch2/catch.hpp>
#include <string>

namespace Catch::Matchers {

inline auto ContainsSubstring(std::string const& text) { return Catch::Contains(text); }

}  // namespace Catch::Matchers

#endif
