// SPDX-License-Identifier: MIT
#include "tools/message.hpp"

#include <iostream>

#include "text/text.hpp"

namespace memprof::tools {

// Allocates nothing: memory may be what ran out. (And fmt::print would throw if stderr is closed.)
void message(std::string_view text) {
  std::cerr << "memprof: ";
  text::put_printable(std::cerr, text);
  std::cerr << '\n';
}

void say_lines(std::string_view lines) {
  std::cerr << text::with_printable_lines(lines) << std::flush;
}

void print_lines(std::string_view lines) {
  std::cout << text::with_printable_lines(lines) << std::flush;
}

}  // namespace memprof::tools
