// SPDX-License-Identifier: MIT
#include "tools/kill_cause.hpp"

#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <utility>

#include "tools/memory_group.hpp"

namespace memprof::tools {
namespace {

constexpr char of_machine[] = "/proc/vmstat";
constexpr char by_group[] = ": by the kernel, for lack of memory in its control group";
constexpr char by_machine[] = ": probably by the kernel, for lack of memory";

/// Of the group that this process, and so its children, is in.
std::filesystem::path file_of_group() {
  const memory_group group = find_memory_group();
  if (!group) return {};
  return group.folder / (group.second_version ? "memory.events" : "memory.oom_control");
}

}  // namespace

kill_count::kill_count(std::filesystem::path file)
    : file_(std::move(file)), first_(read()), seen_(first_) {}

bool kill_count::has_grown() const {
  const auto now = read();
  return first_ && now && *now > *first_;
}

bool kill_count::has_grown_again() {
  const auto now = read();
  const bool more = seen_ && now && *now > *seen_;
  if (now) seen_ = now;
  return more;
}

std::optional<std::uint64_t> kill_count::read() const {
  const auto text = text_of_file(file_);
  return text ? number_in(*text, "oom_kill") : std::nullopt;
}

kill_cause::kill_cause(std::filesystem::path const& group)
    : group_(group.empty() ? file_of_group() : group), all_(of_machine) {}

std::string kill_cause::of(int signal) const {
  if (signal == SIGSYS) return ": a system call that a seccomp filter forbids";
  if (signal != SIGKILL) return {};
  if (group_.has_grown()) return by_group;
  return all_.has_grown() ? by_machine : "";
}

std::string kill_cause::new_kill() {
  const bool in_all = all_.has_grown_again();  // both, so that neither is told twice
  if (group_.has_grown_again()) return by_group;
  return in_all ? by_machine : "";
}

std::string ended_text(child_end const& end, kill_cause const& cause) {
  if (!end.signalled) return fmt::format("exit {}", end.number);
  return fmt::format("signal {} ({}){}", end.number, strsignal(end.number), cause.of(end.number));
}

}  // namespace memprof::tools
