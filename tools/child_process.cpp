// SPDX-License-Identifier: MIT
#include "tools/child_process.hpp"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace memprof::tools {
namespace {

constexpr int forwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP};

[[noreturn]] void fail(char const* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

/// What SIGXFSZ did before.
auto file_size_signal = SIG_DFL;

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

/// Two ends, which no program inherits.
class pipe_ends {
 public:
  pipe_ends() {
    if (pipe2(ends_, O_CLOEXEC) != 0) fail("pipe");
  }
  ~pipe_ends() { close_both(); }
  pipe_ends(pipe_ends const&) = delete;
  pipe_ends& operator=(pipe_ends const&) = delete;

  void close_write_end() noexcept { close_one(ends_[1]); }
  void close_both() noexcept {
    close_one(ends_[0]);
    close_write_end();
  }

  /// Waits. False: the other side has closed its end, or there is less.
  template <class T>
  bool take(T& value) const noexcept {
    ssize_t size;
    do {
      size = read(ends_[0], &value, sizeof value);
    } while (size < 0 && errno == EINTR);
    return size == sizeof value;
  }
  template <class T>
  bool put(T const& value) const noexcept {
    return write(ends_[1], &value, sizeof value) == sizeof value;
  }

 private:
  static void close_one(int& end) noexcept {
    if (end >= 0) close(end);
    end = -1;
  }
  int ends_[2];
};

/// In KiB, as the kernel has it.
using resident_peak = decltype(rusage::ru_maxrss);
/// What a child may have in memory for `execvp` alone.
constexpr resident_peak most_for_exec = 256;

/// Reports what it has had in memory before; and the error, if it cannot become the program.
[[noreturn]] void become(std::vector<std::string> const& arguments,
                         environment_changes const& environment, pipe_ends const& report) {
  for (auto const& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> pointers;
  for (std::string const& a : arguments) pointers.push_back(const_cast<char*>(a.c_str()));
  pointers.push_back(nullptr);
  rusage own{};
  getrusage(RUSAGE_SELF, &own);
  report.put(own.ru_maxrss);
  execvp(pointers[0], pointers.data());
  report.put(errno);
  _exit(127);
}

/// 'T' of a process that is stopped; 0: there is none.
char state_of(pid_t process) noexcept {
  char name[32] = "/proc/";
  std::to_chars_result const to = std::to_chars(name + 6, name + 20, process);
  std::memcpy(to.ptr, "/stat", 6);
  const int file = open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[128];
  const ssize_t size = read(file, text, sizeof text);
  close(file);
  // "PID (NAME) STATE ...", where NAME has at most 15 bytes, and may have parentheses.
  for (ssize_t i = size - 3; i >= 0; --i) {
    if (text[i] == ')') return text[i + 2];
  }
  return 0;
}

/// In a process of its own: continues `parent` as soon as `child` is not stopped any more.
[[noreturn]] void continue_when_continued(pid_t parent, pid_t child) noexcept {
  constexpr timespec pause{.tv_sec = 0, .tv_nsec = 20'000'000};
  setpgid(0, 0);  // what the terminal sends is not for us
  while (getppid() == parent && state_of(child) == 'T') nanosleep(&pause, nullptr);
  // Once it has got that far: not before it has stopped.
  for (int i = 0; i < 100 && getppid() == parent && state_of(parent) != 'T'; ++i) {
    nanosleep(&pause, nullptr);
  }
  kill(parent, SIGCONT);
  _exit(0);
}

/// So that a shell sees that its job is stopped. Who continues the one process, continues both:
/// either the shell us, or anybody the child.
void stop_with(pid_t child) noexcept {
  const pid_t parent = getpid();
  const pid_t watcher = fork();
  if (watcher == 0) continue_when_continued(parent, child);
  raise(SIGSTOP);
  if (watcher > 0) {
    kill(watcher, SIGKILL);
    waitpid(watcher, nullptr, 0);
  }
  kill(child, SIGCONT);
}

/// Processes whose parents end become ours instead of init's, so that they are still known to be
/// the program's. Not if there are children from before an exec: theirs would come to us, too.
void take_in_orphans() noexcept {
  siginfo_t child{};
  const bool none = waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT) != 0 && errno == ECHILD;
  prctl(PR_SET_CHILD_SUBREAPER, none ? 1 : 0, 0, 0, 0);
}

/// Orphans that have ended.
void reap_all_but(pid_t child) noexcept {
  siginfo_t one{};
  while (waitid(P_ALL, 0, &one, WEXITED | WNOHANG | WNOWAIT) == 0 && one.si_pid != 0 &&
         one.si_pid != child) {
    waitpid(one.si_pid, nullptr, WNOHANG);
    one.si_pid = 0;
  }
}

/// True when the child has ended.
bool look_after(pid_t child, child_hooks const& hooks, child_end& end, rusage& used) {
  reap_all_but(child);
  int status = 0;
  while (wait4(child, &status, WNOHANG | WUNTRACED, &used) == child) {
    if (WIFSTOPPED(status)) {
      if (hooks.stopping) hooks.stopping();
      stop_with(child);
      if (hooks.continued) hooks.continued();
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
                    environment_changes const& environment, child_hooks const& hooks) {
  pipe_ends report;
  pipe_ends go;
  const signals_taken signals;
  take_in_orphans();
  const pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) {
    signals.restore();
    ::signal(SIGXFSZ, file_size_signal);
    go.close_write_end();
    char word = 0;
    if (!go.take(word)) _exit(127);  // whoever is to look after the program cannot, or has ended
    if (hooks.in_child) hooks.in_child();
    become(arguments, environment, report);
  }
  report.close_write_end();
  child_end end{.process = child};
  try {
    if (hooks.started) hooks.started(child);
    if (!go.put('g')) fail("pipe");
    go.close_both();
  } catch (...) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    throw;
  }
  rusage used{};
  for (;;) {
    siginfo_t what{};
    const int signal = sigwaitinfo(&signals.set(), &what);
    if (look_after(child, hooks, end, used)) break;
    if (signal <= 0 || signal == SIGCHLD || signal == SIGCONT) continue;
    if (hooks.takes && hooks.takes(signal)) continue;
    // The kernel's own, from the terminal, have gone to the whole group.
    if (what.si_code != SI_KERNEL) kill(child, signal);
  }
  resident_peak before = 0;
  if (report.take(before) && used.ru_maxrss > before + most_for_exec) {
    end.resident = static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
  }
  int error = 0;
  if (report.take(error)) end.exec_error = error;
  return end;
}

void survive_file_size_limit() noexcept { file_size_signal = ::signal(SIGXFSZ, SIG_IGN); }

int exit_status_of(child_end const& end) noexcept {
  if (end.exec_error != 0) return end.exec_error == ENOENT ? 127 : 126;
  return end.signalled ? 128 + end.number : end.number;
}

}  // namespace memprof::tools
