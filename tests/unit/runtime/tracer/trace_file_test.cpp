// SPDX-License-Identifier: MIT
#include "tracer/trace_file.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sstream>
#include <string>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "support/catch2.hpp"

using namespace memprof::tracer;

namespace {

/// What the writing thread's sandbox forbids.
enum class sandbox { nothing, close_range, own_descriptors };

/// On the calling thread, for ever. False where the machine has no such filters.
bool enter(sandbox what) {
  if (what == sandbox::nothing) return true;
  constexpr auto refuse = [](int error) {
    return static_cast<unsigned>(SECCOMP_RET_ERRNO) | static_cast<unsigned>(error);
  };
  const bool own = what == sandbox::own_descriptors;
  std::array<sock_filter, 6> filter{
      {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
       BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 0, 1),
       BPF_STMT(BPF_RET | BPF_K, refuse(ENOSYS)),
       BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 0, 1),
       BPF_STMT(BPF_RET | BPF_K, own ? refuse(EPERM) : SECCOMP_RET_ALLOW),
       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)}};
  const sock_fprog program{.len = filter.size(), .filter = filter.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

class temporary_file {
 public:
  temporary_file() {
    char name[] = "/tmp/memprof_trace_file_XXXXXX";
    close(mkstemp(name));
    path_ = name;
  }
  ~temporary_file() { std::filesystem::remove(path_); }
  temporary_file(temporary_file const&) = delete;
  temporary_file& operator=(temporary_file const&) = delete;

  [[nodiscard]] std::string const& path() const { return path_; }
  [[nodiscard]] std::string text() const {
    std::ostringstream all;
    all << std::ifstream{path_, std::ios::binary}.rdbuf();
    return all.str();
  }

 private:
  std::string path_;
};

/// The descriptors of the calling thread that are open for `path`.
std::vector<int> descriptors_of(std::string const& path) {
  std::vector<int> all;
  for (int i = 0; i < 2000; ++i) {
    std::array<char, 4096> target{};
    const std::string link = "/proc/thread-self/fd/" + std::to_string(i);
    const ssize_t length = readlink(link.c_str(), target.data(), target.size());
    if (length > 0 && path == std::string(target.data(), static_cast<std::size_t>(length))) {
      all.push_back(i);
    }
  }
  return all;
}

std::span<std::byte const> bytes_of(std::string const& text) {
  return std::as_bytes(std::span{text});
}

/// Runs `work` on a thread of its own. False if the sandbox is not to be had.
template <class Work>
bool on_writing_thread(sandbox what, Work work) {
  bool entered = false;
  std::thread([&] {
    entered = enter(what);
    if (entered) work();
  }).join();
  return entered;
}

}  // namespace

TEST_CASE("trace_file: its descriptor is not the program's, also where close_range is missing") {
  const auto what = GENERATE(sandbox::nothing, sandbox::close_range);
  const temporary_file at;
  std::ofstream{at.path()} << "of before";
  std::vector<int> own;
  std::vector<int> seen_by_program;
  outcome opened;
  outcome written;
  trace_file file;
  const bool done = on_writing_thread(what, [&] {
    opened = file.open(at.path().c_str());
    own = descriptors_of(at.path());
    std::thread([&] { written = file.write(bytes_of("in another thread's table")); }).join();
  });
  if (!done) return;
  seen_by_program = descriptors_of(at.path());
  CHECK(opened);
  CHECK(own == std::vector<int>{3});  // the lowest that no program takes for a standard one
  CHECK(seen_by_program.empty());
  CHECK(written);  // threads inherit the table of the one that makes them
  CHECK(at.text() == "in another thread's table");
  CHECK(file.size() == at.text().size());
}

TEST_CASE("trace_file: a high descriptor of the program's, where there is no table of its own") {
  const temporary_file at;
  const temporary_file other;
  for (const bool replaced : {false, true}) {
    outcome opened, first, second;
    std::vector<int> seen;
    trace_file file;
    const bool done = on_writing_thread(sandbox::own_descriptors, [&] {
      opened = file.open(at.path().c_str());
      seen = descriptors_of(at.path());
      first = file.write(bytes_of("before"));
      if (seen.size() != 1) return;
      close(seen[0]);  // as a daemon does
      if (replaced) {
        const int theirs = open(other.path().c_str(), O_WRONLY);
        dup2(theirs, seen[0]);
        close(theirs);
      }
      second = file.write(bytes_of("behind"));
      if (replaced) close(seen[0]);
    });
    if (!done) return;
    CHECK(opened);
    REQUIRE(seen.size() == 1);
    CHECK(seen[0] >= 512);
    CHECK(first);
    CHECK(second.failed == step::write);
    CHECK(second.reason == EBADF);
    CHECK(at.text() == "before");
    CHECK(other.text().empty());
  }
}

TEST_CASE("trace_file: what cannot be opened, locked or written") {
  outcome missing, locked, full;
  const temporary_file at;
  std::ofstream{at.path()} << "theirs";
  const int theirs = open(at.path().c_str(), O_RDWR);
  int ready[2];
  int end[2];
  REQUIRE(pipe(ready) == 0);
  REQUIRE(pipe(end) == 0);
  const pid_t other = fork();
  if (other == 0) {
    struct flock whole {};
    whole.l_type = F_WRLCK;
    char byte = fcntl(theirs, F_SETLK, &whole) == 0;
    if (write(ready[1], &byte, 1) != 1) _exit(1);
    close(end[1]);
    if (read(end[0], &byte, 1) != 0) _exit(2);
    _exit(0);
  }
  char has_it = 0;
  REQUIRE(read(ready[0], &has_it, 1) == 1);
  on_writing_thread(sandbox::nothing, [&] {
    trace_file file;
    missing = file.open("/no/such/folder/trace");
    locked = file.open(at.path().c_str());
    if (file.open("/dev/full")) full = file.write(bytes_of("what does not fit"));
    file.close();
  });
  for (const int d : {theirs, ready[0], ready[1], end[0], end[1]}) close(d);
  int status = 0;
  REQUIRE(waitpid(other, &status, 0) == other);
  CHECK(status == 0);
  CHECK(has_it == 1);
  CHECK(missing.failed == step::open);
  CHECK(missing.reason == ENOENT);
  CHECK(locked.failed == step::lock);
  CHECK((locked.reason == EAGAIN || locked.reason == EACCES));
  CHECK(at.text() == "theirs");  // not emptied
  CHECK(full.failed == step::write);
  CHECK(full.reason == ENOSPC);
}
