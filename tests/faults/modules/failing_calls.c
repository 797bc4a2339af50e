// SPDX-License-Identifier: MIT
// A preload library that stands before libmemprof-preload.so and makes
// its calls of the kernel fail: the n-th of one kind, or all from the n-th on. Calls of the program
// and of other libraries pass. Or it makes those of the command `memprof` fail, and the preload library's pass.
//
//   FAIL_CALL    mmap, munmap, mremap, madvise, futex, getrandom, openat, open, fcntl, pread, pthread_create, ...
//                mremap+mmap: mremap, and the next mmap, too
//   FAIL_COMMAND if it is set, calls of the command
//   FAIL_NUMBER  n, from 1 on; 0: none
//   FAIL_ALL     if it is set, all from the n-th on
//   FAIL_REPORT  a file: how many such calls there were, and how many bytes ours has mapped more than unmapped
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char const* failing;
static enum { library, command, nobody } whose;
static long number;
static int all;
static char const* report;
static long calls;
static int next_mmap_fails;
static long mapped;

__attribute__((constructor)) static void begin(void) {
  failing = getenv("FAIL_CALL");
  if (getenv("FAIL_COMMAND")) whose = strcmp(program_invocation_short_name, "memprof") == 0 ? command : nobody;
  number = getenv("FAIL_NUMBER") ? atol(getenv("FAIL_NUMBER")) : 0;
  all = getenv("FAIL_ALL") != NULL;
  report = getenv("FAIL_REPORT");
}

// Constructors of libraries that stand behind this one run earlier: they find the settings here.
static void settings(void) {
  if (failing == NULL) begin();
}

// The program itself has no name, and starts its threads in the C++ library.
static int is_ours(void const* caller) {
  settings();
  struct dl_find_object found;
  if (_dl_find_object((void*)caller, &found) != 0) return 0;
  char const* const name = found.dlfo_link_map->l_name;
  if (whose == command) return name[0] == '\0' || strstr(name, "libstdc++") != NULL;
  return whose == library && strstr(name, "memprof-preload") != NULL;
}

// True if this call shall fail.
static int fails(char const* name, void const* caller) {
  if (!is_ours(caller)) return 0;
  if (failing == NULL || strcmp(name, failing) != 0) return 0;
  long const n = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
  return number != 0 && (n == number || (all && n > number));
}

// By the kernel's number, so that it works in any state of the process.
static long kernel(long call, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(call), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  if (result < 0 && result > -4096) {
    errno = (int)-result;
    return -1;
  }
  return result;
}

#define CALLER __builtin_return_address(0)

void* mmap(void* at, size_t size, int protection, int flags, int file, off_t offset) {
  int const ours = is_ours(CALLER);
  if (fails("mmap", CALLER) || (ours && __atomic_exchange_n(&next_mmap_fails, 0, __ATOMIC_RELAXED))) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  long const result = kernel(SYS_mmap, (long)at, (long)size, protection, flags, file, offset);
  if (ours && result != -1) __atomic_add_fetch(&mapped, (long)size, __ATOMIC_RELAXED);
  return (void*)result;
}

int munmap(void* at, size_t size) {
  if (fails("munmap", CALLER)) {
    errno = ENOMEM;
    return -1;
  }
  if (is_ours(CALLER)) __atomic_sub_fetch(&mapped, (long)size, __ATOMIC_RELAXED);
  return (int)kernel(SYS_munmap, (long)at, (long)size, 0, 0, 0, 0);
}

int madvise(void* at, size_t size, int advice) {
  if (fails("madvise", CALLER)) {
    errno = EINVAL;
    return -1;
  }
  return (int)kernel(SYS_madvise, (long)at, (long)size, advice, 0, 0, 0);
}

void* mremap(void* at, size_t size, size_t new_size, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  long const to = (flags & MREMAP_FIXED) != 0 ? va_arg(rest, long) : 0;
  va_end(rest);
  int const ours = is_ours(CALLER);
  int const lost = fails("mremap+mmap", CALLER);
  if (lost || fails("mremap", CALLER)) {
    if (lost) __atomic_store_n(&next_mmap_fails, 1, __ATOMIC_RELAXED);
    // As the kernel, which unmaps the target before it finds out.
    kernel(SYS_munmap, to, (long)new_size, 0, 0, 0, 0);
    __atomic_sub_fetch(&mapped, (long)new_size, __ATOMIC_RELAXED);
    errno = EFAULT;
    return MAP_FAILED;
  }
  long const result = kernel(SYS_mremap, (long)at, (long)size, (long)new_size, flags, to, 0);
  // What was mapped at the target counts on.
  if (ours && result != -1) __atomic_sub_fetch(&mapped, (long)size, __ATOMIC_RELAXED);
  return (void*)result;
}

static char const* name_of(long call) {
  switch (call) {
    case SYS_futex: return "futex";
    case SYS_getrandom: return "getrandom";
    case SYS_openat: return "openat";
    case SYS_pread64: return "pread64";
    case SYS_fstat: return "fstat";
    case SYS_readlinkat: return "readlinkat";
    case SYS_close_range: return "close_range";
    case SYS_memfd_create: return "memfd_create";
    case SYS_pidfd_open: return "pidfd_open";
    case SYS_pidfd_getfd: return "pidfd_getfd";
    case SYS_nanosleep: return "nanosleep";
    case SYS_rt_sigprocmask: return "rt_sigprocmask";
    default: return "";
  }
}

long syscall(long call, ...) {
  va_list rest;
  va_start(rest, call);
  long a[6];
  for (int i = 0; i < 6; ++i) a[i] = va_arg(rest, long);
  va_end(rest);
  // A futex is woken or the caller made a mistake; waits may always end early.
  int const can_fail = call != SYS_futex || (a[1] & 127) == 0;
  if (can_fail && fails(name_of(call), CALLER)) {
    errno = call == SYS_futex ? EINTR : call == SYS_openat ? EMFILE : EPERM;
    return -1;
  }
  return kernel(call, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int open(char const* name, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  int const mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, int) : 0;
  va_end(rest);
  if (fails("open", CALLER)) {
    errno = EMFILE;
    return -1;
  }
  return (int)kernel(SYS_openat, AT_FDCWD, (long)name, flags, mode, 0, 0);
}

int fcntl(int file, int command, ...) {
  va_list rest;
  va_start(rest, command);
  long const argument = va_arg(rest, long);
  va_end(rest);
  if (fails("fcntl", CALLER)) {
    errno = EMFILE;
    return -1;
  }
  return (int)kernel(SYS_fcntl, file, command, argument, 0, 0, 0);
}

ssize_t pread(int file, void* to, size_t size, off_t offset) {
  if (fails("pread", CALLER)) {
    errno = EIO;
    return -1;
  }
  return kernel(SYS_pread64, file, (long)to, (long)size, offset, 0, 0);
}

ssize_t write(int file, void const* from, size_t size) {
  if (fails("write", CALLER)) {
    errno = ENOSPC;
    return -1;
  }
  return kernel(SYS_write, file, (long)from, (long)size, 0, 0, 0);
}

ssize_t read(int file, void* to, size_t size) {
  if (fails("read", CALLER)) {
    errno = EIO;
    return -1;
  }
  return kernel(SYS_read, file, (long)to, (long)size, 0, 0, 0);
}

ssize_t pwrite(int file, void const* from, size_t size, off_t offset) {
  if (fails("pwrite", CALLER)) {
    errno = EIO;
    return -1;
  }
  return kernel(SYS_pwrite64, file, (long)from, (long)size, offset, 0, 0);
}

int memfd_create(char const* name, unsigned flags) {
  if (fails("memfd_create", CALLER)) {
    errno = EMFILE;
    return -1;
  }
  return (int)kernel(SYS_memfd_create, (long)name, flags, 0, 0, 0, 0);
}

int pipe2(int files[2], int flags) {
  if (fails("pipe2", CALLER)) {
    errno = EMFILE;
    return -1;
  }
  return (int)kernel(SYS_pipe2, (long)files, flags, 0, 0, 0, 0);
}

int fallocate(int file, int mode, off_t offset, off_t size) {
  if (fails("fallocate", CALLER)) {
    errno = ENOSPC;
    return -1;
  }
  return (int)kernel(SYS_fallocate, file, mode, offset, size, 0, 0);
}

int stat(char const* name, struct stat* status) {
  if (fails("stat", CALLER)) {
    errno = EACCES;
    return -1;
  }
  return (int)kernel(SYS_stat, (long)name, (long)status, 0, 0, 0, 0);
}

int fstat(int file, struct stat* status) {
  if (fails("fstat", CALLER)) {
    errno = EIO;
    return -1;
  }
  return (int)kernel(SYS_fstat, file, (long)status, 0, 0, 0, 0);
}

int poll(struct pollfd* files, nfds_t count, int timeout) {
  if (fails("poll", CALLER)) {
    errno = ENOMEM;
    return -1;
  }
  return (int)kernel(SYS_poll, (long)files, (long)count, timeout, 0, 0, 0);
}

int rename(char const* from, char const* to) {
  if (fails("rename", CALLER)) {
    errno = EACCES;
    return -1;
  }
  return (int)kernel(SYS_rename, (long)from, (long)to, 0, 0, 0, 0);
}

int unlink(char const* name) {
  if (fails("unlink", CALLER)) {
    errno = EACCES;
    return -1;
  }
  return (int)kernel(SYS_unlink, (long)name, 0, 0, 0, 0, 0);
}

pid_t fork(void) {
  if (fails("fork", CALLER)) {
    errno = EAGAIN;
    return -1;
  }
  return ((pid_t(*)(void))dlsym(RTLD_NEXT, "fork"))();
}

int ftruncate(int file, off_t size) {
  if (fails("ftruncate", CALLER)) {
    errno = EIO;
    return -1;
  }
  return (int)kernel(SYS_ftruncate, file, size, 0, 0, 0, 0);
}

int pthread_create(pthread_t* thread, pthread_attr_t const* attributes, void* (*start)(void*), void* argument) {
  if (fails("pthread_create", CALLER)) return EAGAIN;
  int (*const next)(pthread_t*, pthread_attr_t const*, void* (*)(void*), void*) =
      (int (*)(pthread_t*, pthread_attr_t const*, void* (*)(void*), void*))dlsym(RTLD_NEXT, "pthread_create");
  return next(thread, attributes, start, argument);
}

int pthread_key_create(pthread_key_t* key, void (*destroy)(void*)) {
  if (fails("pthread_key_create", CALLER)) return EAGAIN;
  int (*const next)(pthread_key_t*, void (*)(void*)) =
      (int (*)(pthread_key_t*, void (*)(void*)))dlsym(RTLD_NEXT, "pthread_key_create");
  return next(key, destroy);
}

int pthread_setspecific(pthread_key_t key, void const* value) {
  if (fails("pthread_setspecific", CALLER)) return ENOMEM;
  int (*const next)(pthread_key_t, void const*) =
      (int (*)(pthread_key_t, void const*))dlsym(RTLD_NEXT, "pthread_setspecific");
  return next(key, value);
}

__attribute__((destructor)) static void end(void) {
  if (report == NULL || whose == nobody) return;
  char line[64];
  int const length = snprintf(line, sizeof line, "%ld %ld\n", calls, mapped);
  int const file = open(report, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file >= 0 && write(file, line, (size_t)length) == length) close(file);
}
