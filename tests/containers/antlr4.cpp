// SPDX-License-Identifier: MIT
// Library: ANTLR 4
// Package: libantlr4-runtime-dev
// Modules: antlr4-runtime
#include <antlr4-runtime.h>
#include <tree/xpath/XPathLexer.h>

#include "survey.hpp"

int main(int count, char** arguments) {
  containers::survey s(count, arguments);
  // The lexer that comes with the runtime; what it has learned is kept for all of its kind.
  s.function("antlr4::Lexer", "getAllTokens", [] {
    antlr4::ANTLRInputStream input("/a//b/!c/'d'/*");
    XPathLexer lexer(&input);
    CHECK(lexer.getAllTokens().size() > 8);
  });
  return s.run();
}
