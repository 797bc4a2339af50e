// SPDX-License-Identifier: MIT
#include "symbolize/debuginfod.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace memprof::symbolize {
namespace {

constexpr char const* program = "debuginfod-find";

/// What it prints on its standard output, without the end of the line.
///
/// \param error errno of a program that could not be started.
std::string output_of(std::string build_id, int& error) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    error = errno;
    return {};
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string name = program, what = "debuginfo";
  std::array<char*, 4> arguments{name.data(), what.data(), build_id.data(), nullptr};
  pid_t child = 0;
  error = ::posix_spawnp(&child, program, &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string text;
  if (error == 0) {
    std::array<char, 4096> buffer{};
    for (ssize_t n = 0; (n = ::read(ends[0], buffer.data(), buffer.size())) != 0;) {
      if (n < 0 && errno != EINTR) break;
      if (n > 0) text.append(buffer.data(), static_cast<std::size_t>(n));
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (status != 0) text.clear();
  }
  ::close(ends[0]);
  return text.substr(0, text.find('\n'));
}

bool is_whole_id(std::string_view id) {
  return id.size() >= 32 && id.size() <= 128 &&
         id.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

std::filesystem::path debuginfod::find(std::string_view build_id) {
  if (!works_ || !is_whole_id(build_id) || !asked_.emplace(build_id).second) return {};
  int error = 0;
  std::string path = output_of(std::string(build_id), error);
  if (error != 0) {
    works_ = false;
    notice_(std::string("--debuginfod: ") + program + " (elfutils; the package debuginfod) " +
            (error == ENOENT ? "is not installed" : std::strerror(error)));
  }
  return path;
}

}  // namespace memprof::symbolize
