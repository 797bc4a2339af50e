// SPDX-License-Identifier: MIT
#include "tools/child_process.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace memprof::tools {
namespace {

constexpr int forwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP};

[[noreturn]] void fail(char const* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

/// The signals that we wait for instead of being interrupted by them; as before at the end.
class signals_taken {
 public:
  signals_taken() {
    sigemptyset(&set_);
    for (const int s : forwarded) sigaddset(&set_, s);
    sigaddset(&set_, SIGCHLD);
    sigaddset(&set_, SIGCONT);
    sigprocmask(SIG_BLOCK, &set_, &before_);
    struct sigaction fresh {};
    fresh.sa_handler = SIG_DFL;  // ignored, it would take the child's status with it
    sigaction(SIGCHLD, &fresh, &child_before_);
  }
  ~signals_taken() { restore(); }
  signals_taken(signals_taken const&) = delete;
  signals_taken& operator=(signals_taken const&) = delete;

  void restore() const noexcept {
    sigaction(SIGCHLD, &child_before_, nullptr);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  [[nodiscard]] sigset_t const& set() const noexcept { return set_; }

 private:
  sigset_t set_{};
  sigset_t before_{};
  struct sigaction child_before_ {};
};

[[noreturn]] void become(std::vector<std::string> const& arguments,
                         environment_changes const& environment, int report) {
  for (auto const& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> pointers;
  for (std::string const& a : arguments) pointers.push_back(const_cast<char*>(a.c_str()));
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  const int error = errno;
  [[maybe_unused]] const auto written = write(report, &error, sizeof error);
  _exit(127);
}

/// True when the child has ended.
bool look_after(pid_t child, child_end& end) {
  int status = 0;
  while (waitpid(child, &status, WNOHANG | WUNTRACED) == child) {
    if (WIFSTOPPED(status)) {
      raise(SIGSTOP);
      kill(child, SIGCONT);
      continue;
    }
    end.signalled = WIFSIGNALED(status);
    end.number = end.signalled ? WTERMSIG(status) : WEXITSTATUS(status);
    return true;
  }
  return false;
}

}  // namespace

child_end run_child(std::vector<std::string> const& arguments,
                    environment_changes const& environment,
                    std::function<void(pid_t)> const& started) {
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) fail("pipe");
  const signals_taken signals;
  const pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) {
    signals.restore();
    become(arguments, environment, report[1]);
  }
  close(report[1]);
  child_end end{.process = child};
  if (started) started(child);
  for (;;) {
    siginfo_t what{};
    const int signal = sigwaitinfo(&signals.set(), &what);
    if (look_after(child, end)) break;
    if (signal <= 0 || signal == SIGCHLD || signal == SIGCONT) continue;
    // The kernel's own, from the terminal, have gone to the whole group.
    if (what.si_code != SI_KERNEL) kill(child, signal);
  }
  int error = 0;
  if (read(report[0], &error, sizeof error) == sizeof error) end.exec_error = error;
  close(report[0]);
  return end;
}

int exit_status_of(child_end const& end) noexcept {
  if (end.exec_error != 0) return end.exec_error == ENOENT ? 127 : 126;
  return end.signalled ? 128 + end.number : end.number;
}

}  // namespace memprof::tools
