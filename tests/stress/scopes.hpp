// SPDX-License-Identifier: MIT
/// \file
/// The limit functions of a stress program.
#pragma once

#include <vector>

#include "model.hpp"
#include "program.hpp"

namespace stress {

/// Carries out operations one after another (interpret.cpp).
void run(context& c, std::vector<op> const& ops);

/// Calls the limit function that `o` names, runs its body there, and judges the result.
void run_scope(context& c, op const& o);

/// Keeps a frame in its context.
class entered {
 public:
  entered(context& c, frame& f) : context_(c) {
    f.outer = c.innermost;
    c.innermost = &f;
  }
  ~entered() { context_.innermost = context_.innermost->outer; }
  entered(entered const&) = delete;
  entered& operator=(entered const&) = delete;

 private:
  context& context_;
};

}  // namespace stress
