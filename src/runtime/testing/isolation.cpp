// SPDX-License-Identifier: MIT
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include "testing/trial.hpp"

namespace memprof::inline v0::testing {
namespace {

/// The child writes it; the parent reads it after the child has ended.
struct shared_verdict {
  trial_result seen;
  bool finished = false;
};

class shared_page {
 public:
  shared_page()
      : memory_(::mmap(nullptr, sizeof(shared_verdict), PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (memory_ == MAP_FAILED) {
      throw std::system_error(errno, std::generic_category(), "memprof::testing: shared memory");
    }
    ::new (memory_) shared_verdict{};
  }
  ~shared_page() { ::munmap(memory_, sizeof(shared_verdict)); }
  shared_page(shared_page const&) = delete;
  shared_page& operator=(shared_page const&) = delete;
  [[nodiscard]] shared_verdict& get() const noexcept {
    return *static_cast<shared_verdict*>(memory_);
  }

 private:
  void* memory_;
};

[[noreturn]] void run_child(trial const& t, std::uint64_t ordinal, shared_verdict& out) noexcept {
  // Handlers of a test framework would report the crash as well; the parent reports it.
  for (int const signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTERM}) {
    std::signal(signal, SIG_DFL);
  }
  rlimit const no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  t.judge(ordinal, out.seen);
  out.finished = true;
  ::_exit(0);
}

/// False if the child did not end in time and was killed.
bool wait_for(pid_t child, std::chrono::milliseconds most, int& status) {
  using clock = std::chrono::steady_clock;
  auto const deadline = clock::now() + most;
  bool in_time = true;
  // Not pidfd_open(): in glibc 2.36 its header does not say extern "C".
  int const handle = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
  while (handle >= 0) {
    auto const left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - clock::now());
    pollfd ended{.fd = handle, .events = POLLIN, .revents = 0};
    int const n = left.count() > 0 ? ::poll(&ended, 1, static_cast<int>(left.count())) : 0;
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) {
      ::kill(child, SIGKILL);
      in_time = false;
    }
    break;
  }
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (handle >= 0) ::close(handle);
  return in_time;
}

}  // namespace

void judge_isolated(trial const& t, std::uint64_t ordinal, trial_result& v) {
  shared_page const page;
  pid_t const child = ::fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "memprof::testing: fork");
  if (child == 0) run_child(t, ordinal, page.get());
  int status = 0;
  bool const in_time = wait_for(child, t.options().hang_after, status);
  v = page.get().seen;
  if (!in_time) {
    v.what = failure_kind::hung;
    std::snprintf(v.text.data(), v.text.size(), "not done after %lld ms",
                  static_cast<long long>(t.options().hang_after.count()));
  } else if (!page.get().finished) {
    v.what = failure_kind::crashed;
    if (WIFSIGNALED(status)) {
      std::snprintf(v.text.data(), v.text.size(), "by signal %d (%s)", WTERMSIG(status),
                    ::sigabbrev_np(WTERMSIG(status)));
    } else {
      std::snprintf(v.text.data(), v.text.size(), "by exit with status %d", WEXITSTATUS(status));
    }
  }
}

}  // namespace memprof::inline v0::testing
