// SPDX-License-Identifier: MIT
#include "analysis/trace_source.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdexcept>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace memprof::analysis {
namespace {

[[noreturn]] void fail(std::string const& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

void copy_all(int from, int to, std::string const& name) {
  std::array<char, 1 << 16> buffer{};
  for (;;) {
    const ssize_t got = ::read(from, buffer.data(), buffer.size());
    if (got == 0) return;
    if (got < 0) {
      if (errno == EINTR) continue;
      fail(name);
    }
    for (ssize_t done = 0; done < got;) {
      const ssize_t put = ::write(to, buffer.data() + done, static_cast<std::size_t>(got - done));
      if (put < 0 && errno != EINTR) fail("the temporary copy of " + name);
      if (put > 0) done += put;
    }
  }
}

/// A file without a name where temporary files go.
int temporary_file() {
  char const* directory = std::getenv("TMPDIR");
  if (directory == nullptr || *directory == '\0') directory = "/tmp";
  const int plain = ::open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (plain >= 0) return plain;
  std::string name = std::string(directory) + "/memprof-XXXXXX";
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named < 0) fail("a temporary file in " + std::string(directory));
  ::unlink(name.c_str());
  return named;
}

}  // namespace

trace_source::trace_source(std::string file, bool recover)
    : file_(std::move(file)), name_(file_ == "-" ? "standard input" : file_), recover_(recover) {}

trace_source::~trace_source() {
  if (copy_ >= 0) ::close(copy_);
}

void trace_source::several() {
  if (copy_ >= 0 || opened_) return;
  int from = STDIN_FILENO;
  struct stat status {};
  if (file_ != "-") {
    if (::stat(file_.c_str(), &status) != 0 || !S_ISFIFO(status.st_mode)) return;
    from = ::open(file_.c_str(), O_RDONLY | O_CLOEXEC);
    if (from < 0) fail(name_);
  }
  copy_ = temporary_file();
  copy_all(from, copy_, name_);
  if (from != STDIN_FILENO) ::close(from);
}

reading trace_source::open(bool backtraces) {
  const trace::reader_options options{.backtraces = backtraces, .recover = recover_};
  if (copy_ >= 0) {
    // A descriptor of its own: readings must not share a position.
    const std::string path = fmt::format("/proc/self/fd/{}", copy_);
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) fail("the temporary copy of " + name_);
    return {trace::reader(descriptor, name_, options), &watcher_};
  }
  if (file_ == "-") {
    if (opened_) throw std::logic_error(name_ + " is read twice");
    opened_ = true;
    const int descriptor = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    if (descriptor < 0) fail(name_);
    return {trace::reader(descriptor, name_, options), &watcher_};
  }
  return {trace::reader(std::filesystem::path(file_), options), &watcher_};
}

}  // namespace memprof::analysis
