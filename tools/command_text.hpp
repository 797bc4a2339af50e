// SPDX-License-Identifier: MIT
/// \file
/// What the commands say of themselves, for manual pages and completions: read from the same
/// CLI::App that parses their options and prints their help, so these cannot disagree.
#pragma once

#include <string>
#include <vector>

namespace memprof::tools {

struct option_text {
  std::vector<std::string>
      names;  ///< with their dashes, the short ones first; an argument's name alone
  std::vector<std::string> values;   ///< what they are called: WHAT, or FROM and TO; none: a flag
  std::vector<std::string> choices;  ///< of a value; empty: anything
  std::string text;
  std::string group;  ///< the heading of the help; empty: it is an ordinary option
  bool repeats = false;
  bool required = false;
};

struct command_text {
  std::string name;  ///< empty: memprof itself
  std::string brief;
  std::vector<std::string> examples;  ///< lines, without their indentation
  std::vector<std::string> notes;     ///< lines; those that begin with a space are not to be filled
  std::vector<option_text> arguments;
  std::vector<option_text> options;
};

/// Of memprof itself, then of each command in the order of the help.
[[nodiscard]] std::vector<command_text> command_texts();

}  // namespace memprof::tools
