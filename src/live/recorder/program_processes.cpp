// SPDX-License-Identifier: MIT
#include "recorder/program_processes.hpp"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <sys/prctl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "recorder/process_facts.hpp"

namespace memprof::recorder {
namespace {

/// Nobody starts so many generations by chance; those behind them are not known.
constexpr int most_parents = 1000;

/// Names of entries that are numbers.
std::vector<pid_t> numbers_in(std::string const& folder) {
  std::vector<pid_t> numbers;
  std::error_code none;
  for (auto entry = std::filesystem::directory_iterator(folder, none);
       !none && entry != std::filesystem::directory_iterator(); entry.increment(none)) {
    const std::string name = entry->path().filename().string();
    pid_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error == std::errc{} && *end == '\0') numbers.push_back(number);
  }
  return numbers;
}

/// Children belong to the thread that forked them. False: the kernel does not list them.
bool add_children(pid_t process, std::vector<pid_t>& to) {
  bool any = false;
  for (const pid_t thread : numbers_in(file_of_process(process, "task"))) {
    std::ifstream in(file_of_process(process, "task") + "/" + std::to_string(thread) + "/children");
    any |= in.is_open();
    for (pid_t child = 0; in >> child;) to.push_back(child);
  }
  return any;
}

bool takes_in_orphans() noexcept {
  int does = 0;
  return prctl(PR_GET_CHILD_SUBREAPER, &does) == 0 && does != 0;
}

}  // namespace

program_processes::program_processes(pid_t first) : first_(first) {
  const process_facts facts = look_at_process(first);
  started_ = facts.started;
  orphans_are_ours_ = facts.parent == getpid() && takes_in_orphans();
}

/// Up from parent to parent. One that began after its child is another process with its id.
bool program_processes::has(pid_t process) const {
  std::uint64_t child_started = std::numeric_limits<std::uint64_t>::max();
  for (int i = 0; i < most_parents && process > 1 && process != getpid(); ++i) {
    const process_facts facts = look_at_process(process);
    if (facts.state == 0 || facts.leader != process || facts.started > child_started) return false;
    if (process == first_) return facts.started == started_;
    if (facts.parent == getpid()) return orphans_are_ours_;
    child_started = facts.started;
    process = facts.parent;
  }
  return false;
}

followed_process program_processes::follow(pid_t claimed) const {
  // Opened first, and alive afterwards: what /proc says in between is of the same process. Of one
  // that has ended nothing is read, and nobody gets its signals.
  followed_process process(claimed, true);
  if (process.has_ended() || has(claimed) || process.has_ended()) return process;
  return {claimed, false};
}

std::vector<followed_process> program_processes::others() const {
  std::vector<pid_t> found;
  bool lists_children = add_children(first_, found);
  if (orphans_are_ours_) lists_children |= add_children(getpid(), found);
  if (!lists_children) found = numbers_in("/proc");  // a kernel without CONFIG_PROC_CHILDREN
  for (std::size_t i = 0; lists_children && i < found.size(); ++i) {
    if (found[i] != first_) add_children(found[i], found);
  }
  std::vector<followed_process> all;
  for (const pid_t process : found) {
    if (process == first_) continue;
    followed_process one = follow(process);
    if (one.visible()) all.push_back(std::move(one));
  }
  return all;
}

}  // namespace memprof::recorder
