// SPDX-License-Identifier: MIT
#include "recorder/process_facts.hpp"

#include <chrono>
#include <ctime>
#include <fstream>
#include <sstream>
#include <sys/utsname.h>
#include <unistd.h>

namespace memprof::recorder {
namespace {

/// What there is of it: the process may end in the middle, and an iterator would throw.
std::string whole_file(std::string const& name) {
  std::ifstream in(name, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::uint64_t start_of(pid_t process) {
  // "PID (NAME) STATE ...": the start is the 20th behind the name, which may have parentheses.
  const std::string text = whole_file(file_of_process(process, "stat"));
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream rest(text.substr(name_end + 1));
  std::string word;
  for (int i = 0; i < 20; ++i) rest >> word;
  return std::strtoull(word.c_str(), nullptr, 10);
}

}  // namespace

std::string host_name() {
  utsname system{};
  return uname(&system) == 0 ? system.nodename : "";
}

std::uint64_t microseconds_now() noexcept {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

process_facts look_at_process(pid_t id) {
  process_facts facts;
  std::istringstream status(whole_file(file_of_process(id, "status")));
  for (std::string line; std::getline(status, line);) {
    std::istringstream words(line);
    std::string name, word;
    words >> name;
    if (name == "State:") words >> facts.state;
    if (name == "Tgid:") words >> facts.leader;
    if (name == "PPid:") words >> facts.parent;
    if (name == "Uid:") words >> word >> facts.user;  // real, effective
    if (name == "VmSize:") facts.own_memory = true;
    if (name == "NSpid:") {
      for (pid_t next = 0; words >> next;) facts.inner = next;
    }
    if (name == "Seccomp:") {
      words >> word;
      facts.filtered = word != "0";
    }
  }
  if (facts.inner == 0) facts.inner = facts.leader;  // a kernel without pid namespaces
  facts.started = start_of(id);
  return facts;
}

std::string command_line_of(pid_t process) {
  return whole_file(file_of_process(process, "cmdline"));
}

std::uint64_t age_of(process_facts const& facts) {
  timespec now{};
  const long ticks = sysconf(_SC_CLK_TCK);
  if (facts.started == 0 || ticks <= 0 || clock_gettime(CLOCK_BOOTTIME, &now) != 0) return 0;
  const std::uint64_t micros = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 +
                               static_cast<std::uint64_t>(now.tv_nsec) / 1000;
  const std::uint64_t start = facts.started * 1'000'000 / static_cast<std::uint64_t>(ticks);
  return micros > start ? micros - start : 0;
}

std::string why_no_permission(process_facts const& facts) {
  const std::string remedy = "run this command as root, or with CAP_SYS_PTRACE";
  if (facts.user != geteuid()) {
    return "it belongs to user " + std::to_string(facts.user) + ", and you are " +
           std::to_string(geteuid()) + ": run this command as that user, or " +
           remedy.substr(std::string("run this command ").size());
  }
  const std::string scope = whole_file("/proc/sys/kernel/yama/ptrace_scope");
  if (!scope.empty() && scope.front() != '0') {
    const std::string setting = "kernel.yama.ptrace_scope is " + scope.substr(0, 1);
    if (scope.front() == '3') return setting + ": nobody may, until the machine starts anew";
    if (scope.front() == '2') return setting + ": " + remedy;
    return setting + ": " + remedy + ", or set it to 0 (sysctl kernel.yama.ptrace_scope=0)";
  }
  return "it has rights that you have not, or is not dumpable: " + remedy;
}

}  // namespace memprof::recorder
