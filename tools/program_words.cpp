// SPDX-License-Identifier: MIT
#include "tools/program_words.hpp"

#include <CLI/CLI.hpp>
#include <cstddef>

namespace memprof::tools {

std::vector<std::string> with_separator(CLI::App const& command, std::vector<std::string> words) {
  if (command.get_option_no_throw("PROGRAM") == nullptr) return words;
  for (std::size_t i = 1; i < words.size(); ++i) {
    std::string const& word = words[i];
    if (word == "--") return words;
    if (!word.starts_with('-') || word == "-") {
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(i), "--");
      return words;
    }
    const bool is_long = word.starts_with("--");
    const std::size_t name_end = is_long ? word.find('=') : 2;
    CLI::Option const* const option = command.get_option_no_throw(word.substr(0, name_end));
    if (option == nullptr) return words;  // it will be refused
    const bool has_value = is_long ? name_end != std::string::npos : word.size() > 2;
    if (option->get_items_expected_max() > 0 && !has_value) ++i;
  }
  return words;
}

}  // namespace memprof::tools
