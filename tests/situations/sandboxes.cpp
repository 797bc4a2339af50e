// SPDX-License-Identifier: MIT
// Filters of system calls, namespaces, roots, users and full disks.
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <memory>
#include <sched.h>
#include <string>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "situation.hpp"

#define SITUATION(name) MEMPROF_SITUATION_IN("sandboxes", name)

namespace {

using situations::check;
using situations::say;
using situations::wait_for;
using situations::work;

/// Allows `calls`, answers all others with `otherwise`.
bool filter(std::vector<int> const& calls, std::uint32_t otherwise) {
  std::vector<sock_filter> code;
  code.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)));
  for (int const call : calls) {
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 1));
    code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  }
  code.push_back(BPF_STMT(BPF_RET | BPF_K, otherwise));
  sock_fprog const program{static_cast<unsigned short>(code.size()), code.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// What sandboxes allow that know of malloc (OpenSSH's list, less what has to do with the network).
std::vector<int> const usual_calls{
    SYS_brk,   SYS_clock_gettime,  SYS_close,        SYS_exit,        SYS_exit_group,
    SYS_futex, SYS_getpid,         SYS_getrandom,    SYS_gettid,      SYS_madvise,
    SYS_mmap,  SYS_mprotect,       SYS_mremap,       SYS_munmap,      SYS_nanosleep,
    SYS_read,  SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sched_yield, SYS_write};

SITUATION(filter_that_kills) {
  work(32, 300);
  if (!filter(usual_calls, SECCOMP_RET_KILL_PROCESS)) return 3;
  say("sum %u", work(33, 2000));
  return 0;
}

SITUATION(filter_that_refuses) {
  work(34, 100);
  if (!filter(usual_calls, SECCOMP_RET_ERRNO | EPERM)) return 3;
  std::uint32_t const sum = work(35, 2000);
  int const opened = open("/dev/null", O_RDONLY);
  say("sum %u, open %d, errno %d", sum, opened, errno);
  return 0;
}

SITUATION(filter_without_memory) {
  mallopt(M_TRIM_THRESHOLD, 1 << 28);  // glibc does not survive a brk that fails to shrink
  std::vector<void*> blocks(2000);
  for (auto& p : blocks) p = std::malloc(500);
  for (void* const p : blocks) std::free(p);
  if (!filter({SYS_write, SYS_exit_group, SYS_futex}, SECCOMP_RET_ERRNO | ENOMEM)) return 3;
  int got = 0;
  for (auto& p : blocks) {
    p = std::malloc(500);
    got += p != nullptr;
  }
  for (void* const p : blocks) std::free(p);
  say("%d blocks of what was there", got);
  _exit(0);  // what static destructors ask for may not be there
}

SITUATION(strict_filter) {
  std::vector<void*> blocks(200);
  for (int round = 0; round < 2; ++round) {  // the second one under the filter: the memory is there
    for (auto& p : blocks) p = std::malloc(100);
    for (void* const p : blocks) std::free(p);
    if (round == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) return 3;
  }
  say("allocated under it");
  syscall(SYS_exit, 23);
  return 0;
}

SITUATION(user_namespace) {
  bool const made =
      unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS) == 0;
  std::thread([] { work(36, 100); }).join();
  pid_t const child = fork();
  if (child == 0) _exit(static_cast<int>(work(37, 200) % 50));
  say("made: %d, status %d", made, wait_for(child));
  return 0;
}

SITUATION(root_without_proc) {
  char folder[] = "/tmp/situation-XXXXXX";
  check(mkdtemp(folder) != nullptr, "a folder");
  bool const changed = chroot(folder) == 0 && chdir("/") == 0;
  rmdir(folder);
  std::thread([] { work(38, 200); }).join();
  pid_t const child = fork();
  if (child == 0) {
    std::thread([] { work(39, 200); }).join();
    _exit(9);
  }
  say("changed: %d, status %d, sum %u", changed, wait_for(child), work(40, 300));
  try {
    throw std::string("an exception");
  } catch (std::string const& text) {
    say("%s", text.c_str());
  }
  return 0;
}

SITUATION(full_disk) {
  if (unshare(CLONE_NEWNS) != 0) {
    say("not permitted");
    return 0;
  }
  mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
  check(mount("tmpfs", "/tmp", "tmpfs", 0, "size=64k") == 0, "mount");
  int const file = open("/tmp/x", O_CREAT | O_WRONLY, 0600);
  auto const page = std::make_unique<char[]>(4096);
  while (write(file, page.get(), 4096) == 4096) {
  }
  say("full: %d, sum %u", errno == ENOSPC, work(41, 300));
  return 0;
}

SITUATION(becomes_nobody) {
  work(42, 100);
  if (setgroups(0, nullptr) != 0 || setresgid(65534, 65534, 65534) != 0 ||
      setresuid(65534, 65534, 65534) != 0) {
    say("not root");
    return 0;
  }
  std::thread([] { work(43, 100); }).join();
  say("user %d, sum %u", static_cast<int>(getuid()), work(44, 300));
  return 0;
}

SITUATION(not_dumpable) {
  prctl(PR_SET_DUMPABLE, 0);
  std::thread([] { work(45, 100); }).join();
  say("sum %u", work(46, 300));
  return 0;
}

}  // namespace
