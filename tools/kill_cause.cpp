// SPDX-License-Identifier: MIT
#include "tools/kill_cause.hpp"

#include <csignal>
#include <cstring>
#include <fmt/format.h>

#include "tools/memory_group.hpp"

namespace memprof::tools {
namespace {

constexpr char of_machine[] = "/proc/vmstat";
constexpr char by_group[] = ": by the kernel, for lack of memory in its control group";
constexpr char by_machine[] = ": probably by the kernel, for lack of memory";

std::uint64_t kills_in(std::filesystem::path const& file) { return value_in(file, "oom_kill"); }

/// Of the group that this process, and so its children, is in.
std::filesystem::path file_of_group() {
  const memory_group group = find_memory_group();
  if (!group) return {};
  return group.folder / (group.second_version ? "memory.events" : "memory.oom_control");
}

}  // namespace

kill_cause::kill_cause(std::filesystem::path const& group)
    : group_(group.empty() ? file_of_group() : group),
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
