// SPDX-License-Identifier: MIT
#include "tools/kill_cause.hpp"

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

namespace memprof::tools {
namespace {

constexpr char of_machine[] = "/proc/vmstat";
constexpr char by_group[] = ": by the kernel, for lack of memory in its control group";
constexpr char by_machine[] = ": probably by the kernel, for lack of memory";

/// "oom_kill N", a line of the file; 0: there is none.
std::uint64_t kills_in(std::string const& file) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("oom_kill ")) return std::strtoull(line.c_str() + 9, nullptr, 10);
  }
  return 0;
}

/// Of the group that this process, and so its children, is in.
std::string file_of_group() {
  std::ifstream in("/proc/self/cgroup");
  const std::string root = "/sys/fs/cgroup";
  std::error_code none;
  for (std::string line; std::getline(in, line);) {  // "9:memory:/group", "0::/group"
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (controllers == "memory") {
      std::string file = root + "/memory" + group + "/memory.oom_control";
      if (std::filesystem::exists(file, none)) return file;
    }
    if (controllers.empty()) {
      std::string file = root + group + "/memory.events";
      if (std::filesystem::exists(file, none)) return file;
    }
  }
  return {};
}

}  // namespace

kill_cause::kill_cause(std::filesystem::path const& group)
    : group_(group.empty() ? file_of_group() : group.string()),
      in_group_(kills_in(group_)),
      in_all_(kills_in(of_machine)),
      seen_in_group_(in_group_),
      seen_in_all_(in_all_) {}

std::string kill_cause::of(int signal) const {
  if (signal == SIGSYS) return ": a system call that a seccomp filter forbids";
  if (signal != SIGKILL) return {};
  if (!group_.empty() && kills_in(group_) > in_group_) return by_group;
  return kills_in(of_machine) > in_all_ ? by_machine : "";
}

std::string kill_cause::new_kill() {
  const std::uint64_t in_group = group_.empty() ? 0 : kills_in(group_);
  const std::uint64_t in_all = kills_in(of_machine);
  std::string why = in_all > seen_in_all_ ? by_machine : "";
  if (in_group > seen_in_group_) why = by_group;
  seen_in_group_ = in_group;
  seen_in_all_ = in_all;
  return why;
}

std::string ended_text(child_end const& end, kill_cause const& cause) {
  if (!end.signalled) return fmt::format("exit {}", end.number);
  return fmt::format("signal {} ({}){}", end.number, strsignal(end.number), cause.of(end.number));
}

}  // namespace memprof::tools
