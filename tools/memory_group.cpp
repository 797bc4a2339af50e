// SPDX-License-Identifier: MIT
#include "tools/memory_group.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <fstream>
#include <system_error>
#include <unistd.h>

namespace memprof::tools {
namespace {

namespace fs = std::filesystem;

/// The path of the line "ID:CONTROLLERS:PATH".
std::optional<std::string> path_for(std::string_view controllers, fs::path const& of_process) {
  std::ifstream in(of_process);
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    if (line.substr(first + 1, second - first - 1) == controllers) return line.substr(second + 1);
  }
  return std::nullopt;
}

/// The group below one of `roots`.
memory_group group_in(std::vector<fs::path> const& roots, std::string_view controllers,
                      fs::path const& of_process) {
  const auto path = path_for(controllers, of_process);
  if (!path || path->empty()) return {};
  for (fs::path const& root : roots) {
    std::error_code none;
    const bool second = controllers.empty();
    if (fs::exists(root / path->substr(1) / "cgroup.procs", none)) {
      fs::path folder = *path == "/" ? root : root / path->substr(1);
      return {.folder = std::move(folder), .name = *path, .second_version = second};
    }
    if (fs::exists(root / "cgroup.procs", none)) {
      return {.folder = root, .name = "/", .second_version = second};
    }
  }
  return {};
}

}  // namespace

memory_group find_memory_group(group_places const& places) {
  if (auto first = group_in({places.root / "memory"}, "memory", places.of_process)) return first;
  return group_in({places.root}, "", places.of_process);
}

memory_group find_second_version_group(group_places const& places) {
  return group_in({places.root, places.root / "unified"}, "", places.of_process);
}

std::vector<memory_group> with_outer_groups(memory_group group) {
  std::vector<memory_group> all;
  std::error_code none;
  while (group && fs::exists(group.folder / "cgroup.procs", none)) {
    all.push_back(group);
    if (group.name == "/") break;
    group.folder = group.folder.parent_path();
    group.name = fs::path(group.name).parent_path().string();
  }
  return all;
}

std::optional<std::string> text_of_file(fs::path const& file) {
  constexpr std::size_t most = 16 << 10;
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  std::string text(most, '\0');
  std::size_t size = 0;
  ssize_t n = 0;
  do {  // the kernel hands out a page at a time
    n = read(descriptor, text.data() + size, most - size);
    if (n > 0) size += static_cast<std::size_t>(n);
  } while (n > 0 && size < most);
  const int why = errno;
  close(descriptor);
  errno = why;
  if (n < 0) return std::nullopt;
  text.resize(size);
  return text;
}

std::optional<std::uint64_t> number_in(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!name.empty()) {
      if (!line.starts_with(name) || !line.substr(name.size()).starts_with(' ')) continue;
      line.remove_prefix(name.size() + 1);
    }
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
    if (error != std::errc{}) return std::nullopt;
    return number;
  }
  return std::nullopt;
}

std::uint64_t value_in(fs::path const& file, std::string_view name) {
  const auto text = text_of_file(file);
  return text ? number_in(*text, name).value_or(0) : 0;
}

}  // namespace memprof::tools
