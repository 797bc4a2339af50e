// SPDX-License-Identifier: MIT
#include "tools/kill_cause.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>

namespace memprof::tools {
namespace {

constexpr char of_machine[] = "/proc/vmstat";

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

kill_cause::kill_cause()
    : group_(file_of_group()), in_group_(kills_in(group_)), in_all_(kills_in(of_machine)) {}

std::string kill_cause::of(int signal) const {
  if (signal == SIGSYS) return ": a system call that a seccomp filter forbids";
  if (signal != SIGKILL) return {};
  if (!group_.empty() && kills_in(group_) > in_group_) {
    return ": by the kernel, for lack of memory in its control group";
  }
  if (kills_in(of_machine) > in_all_) return ": probably by the kernel, for lack of memory";
  return {};
}

}  // namespace memprof::tools
