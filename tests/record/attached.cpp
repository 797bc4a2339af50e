// SPDX-License-Identifier: MIT
//
// What attach_*test.py attach to: does what the lines that it reads say. Blocks of 40 bytes have 5
// words and one for the header: 6 samples at rate 1.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>
#ifdef MEMPROF_LINKED
#include "memprof/process.hpp"
#include "memprof/tracing.hpp"
#endif
static void* keep[1000000];
static int kept = 0;
static std::atomic<bool> go_on{true};
static std::atomic<long> rounds{0};
static std::vector<std::thread> workers;
__attribute__((noinline)) static void* small() { return malloc(40); }
__attribute__((noinline)) static void many(int n) {
  for (int i = 0; i < n; ++i) keep[kept++] = small();
}
__attribute__((noinline)) static void* of_a_thread() { return malloc(40); }
__attribute__((noinline)) static void of_the_child() {
  for (int i = 0; i < 500; ++i) keep[kept++] = malloc(100000);
}
__attribute__((noinline)) static void warm(int mib) {
  for (int i = 0; i < mib * 1024; ++i) {
    void* const p = malloc(1016);
    asm volatile("" ::"r"(p) : "memory");
    free(p);
  }
}
static int entries(char const* name) {
  DIR* const folder = opendir(name);
  int n = 0;
  while (auto const* const e = readdir(folder)) n += e->d_name[0] != '.';
  closedir(folder);
  return n;
}
static int mappings() {
  static char text[1 << 16];
  const int file = open("/proc/self/maps", O_RDONLY);
  int n = 0;
  std::string all;
  for (ssize_t got; (got = read(file, text, sizeof text)) > 0;) all.append(text, text + got);
  close(file);
  for (std::size_t at = 0; (at = all.find("/memfd:memprof", at)) != all.npos; ++at) ++n;
  return n;
}
static int status_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
int main(int, char** arguments) {
  char line[100];
  std::puts("ready");
  std::fflush(stdout);
  while (std::fgets(line, sizeof line, stdin) != nullptr) {
    char word[40] = "";
    int n = 0;
    std::sscanf(line, "%39s %d", word, &n);
    const std::string what = word;
    int result = 0;
    if (what == "many") many(n);
    if (what == "free")
      while (n-- > 0) free(keep[--kept]);
    if (what == "warm") warm(n);
    if (what == "state") result = entries("/proc/self/task") * 100 + mappings();
    if (what == "descriptors") result = entries("/proc/self/fd");
    if (what == "threads") {
      for (int i = 0; i < 4; ++i) {
        workers.emplace_back([n] {
          for (int k = 0; k < n; ++k) free(of_a_thread());
        });
      }
      for (auto& w : workers) w.join();
      workers.clear();
    }
    if (what == "work") {
      for (int i = 0; i < 4; ++i) {
        workers.emplace_back([] {
          while (go_on) {
            warm(1);
            ++rounds;
            usleep(2000);
          }
        });
      }
    }
    if (what == "rounds") result = static_cast<int>(rounds);
    if (what == "rest") {
      go_on = false;
      for (auto& w : workers) w.join();
      workers.clear();
    }
    if (what == "fork") {
      const pid_t child = fork();
      if (child == 0) {
        of_the_child();
        _exit(entries("/proc/self/task"));
      }
      result = status_of(child);
    }
    if (what == "go-on-in-child") {
      const pid_t child = fork();
      if (child != 0) return status_of(child);
      result = getpid();
    }
    if (what == "raw-fork") {  // behind the C library's back
      const long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
      if (child == 0) {
        of_the_child();
        _exit(1);
      }
      result = status_of(static_cast<pid_t>(child));
    }
    if (what == "vfork") {  // allocates, which it may not, in our memory
      const pid_t child = vfork();
      if (child == 0) {
        warm(16);
        _exit(3);
      }
      result = status_of(child);
    }
    if (what == "exec") execl(arguments[0], arguments[0], nullptr);
    if (what == "close-all")
      for (int i = 3; i < 1100; ++i) close(i);
    if (what == "no-descriptors") {
      const rlimit none{3, 3};
      setrlimit(RLIMIT_NOFILE, &none);
    }
    if (what == "filter") prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    if (what == "zombie") {
      const pid_t child = fork();
      if (child == 0) _exit(0);
      usleep(100000);
      result = child;
    }
    if (what == "exit") {
      many(n);
      exit(5);
    }
    if (what == "_exit") {
      many(n);
      _exit(6);
    }
#ifdef MEMPROF_LINKED
    if (what == "samples") result = static_cast<int>(memprof::counters().samples);
    if (what == "trace") memprof::start_tracing("own.ctf");
    if (what == "stop") memprof::stop_tracing();
#endif
    std::printf("%d\n", result);
    std::fflush(stdout);
  }
  return 0;
}
