// SPDX-License-Identifier: MIT
/// \file
/// Makes a stress program that fails as small as it gets.
#pragma once

#include <functional>

#include "program.hpp"

namespace stress {

/// The smallest program found that still fails: without threads and operations that are not needed,
/// blocks in place of their contents, amounts as small as may be.
///
/// fails       runs it, several times if it is not certain.
program shrink(program p, std::function<bool(program const&)> const& fails);

}  // namespace stress
