// SPDX-License-Identifier: MIT
#include "trace/create_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace memprof::inline v0::trace {
namespace {

[[noreturn]] void fail(int error, std::filesystem::path const& file) {
  throw std::system_error(error, std::generic_category(), file.string());
}

bool has_other_kind(struct stat const& status) noexcept {
  return !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

}  // namespace

int create_file(std::filesystem::path const& file) {
  constexpr int how = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY;
  int made = ::open(file.c_str(), how, 0600);
  struct stat status {};
  if (made < 0 && errno == EEXIST && ::lstat(file.c_str(), &status) == 0 &&
      S_ISREG(status.st_mode) && status.st_uid == geteuid() && ::unlink(file.c_str()) == 0) {
    made = ::open(file.c_str(), how, 0600);
  }
  if (made < 0) fail(errno, file);
  return made;
}

int open_pipe_or_device(std::filesystem::path const& file) {
  int const opened = ::open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (opened < 0) fail(errno, file);
  struct stat status {};
  if (::fstat(opened, &status) == 0 && has_other_kind(status)) return opened;
  ::close(opened);
  fail(EEXIST, file);
}

bool is_pipe_or_device(std::filesystem::path const& file) noexcept {
  struct stat status {};
  return ::stat(file.c_str(), &status) == 0 && has_other_kind(status);
}

std::filesystem::path without_link(std::filesystem::path const& file) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0 || !S_ISLNK(status.st_mode)) return file;
  if (status.st_uid != geteuid() && status.st_uid != 0) fail(ELOOP, file);
  return std::filesystem::canonical(file);
}

}  // namespace memprof::inline v0::trace
