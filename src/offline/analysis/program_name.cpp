// SPDX-License-Identifier: MIT
#include "analysis/program_name.hpp"

#include <algorithm>
#include <string_view>

namespace memprof::analysis {
namespace {

std::string_view base_name(std::string_view path) noexcept {
  return path.substr(path.rfind('/') + 1);
}

/// The first word of a command that was quoted for a shell; of a word with quotes in it, what is
/// before them.
std::string_view first_word(std::string_view command) noexcept {
  if (command.starts_with('\'')) {
    command.remove_prefix(1);
    return command.substr(0, command.find('\''));
  }
  return command.substr(0, command.find(' '));
}

/// "TID NAME" lines: the name of that thread.
std::string_view thread_named(std::string_view threads, std::string const& id) noexcept {
  for (std::size_t from = 0; from < threads.size();) {
    const std::size_t to = std::min(threads.find('\n', from), threads.size());
    const std::string_view line = threads.substr(from, to - from);
    if (line.starts_with(id) && line.substr(id.size()).starts_with(' ')) {
      return line.substr(id.size() + 1);
    }
    from = to + 1;
  }
  return {};
}

}  // namespace

std::string program_name(trace::info const& info, std::vector<text_note> const& notes) {
  constexpr std::size_t kernels_longest = 15;
  const std::string_view file = base_name(info.executable_name);
  const std::string command = note_value(notes, "command");
  if (const std::string_view typed = first_word(command); !typed.empty()) {
    return base_name(typed) == file ? info.executable_name : std::string(typed);
  }
  const std::string threads = note_value(notes, "threads");
  const std::string_view name = thread_named(threads, std::to_string(info.pid));
  if (name.empty() || name == file.substr(0, kernels_longest)) return info.executable_name;
  return std::string(name);
}

}  // namespace memprof::analysis
