// SPDX-License-Identifier: MIT
/// \file
/// The tokens and budgets of a stress program, which all its threads share.
#pragma once

#include <array>
#include <memory>

#include "memprof/memprof.hpp"

#include "program.hpp"

namespace stress {

struct objects {
  std::array<memprof::token, tokens> token;
  std::array<std::unique_ptr<memprof::budget>, budgets> budget;
};
extern objects* made;

/// Makes them, and sets the global limit.
void make_objects(program const& p);

/// Sets a token, here or in a signal handler.
void set_token(op const& o);

}  // namespace stress
