// SPDX-License-Identifier: MIT
#include "tools/whole_file.hpp"

#include <cerrno>
#include <cstdio>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "trace/trace.hpp"

namespace memprof::tools {
namespace {

/// 0, or errno.
int write_all(int descriptor, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t put = ::write(descriptor, text.data(), text.size());
    if (put < 0 && errno != EINTR) return errno;
    if (put > 0) text.remove_prefix(static_cast<std::size_t>(put));
  }
  return 0;
}

}  // namespace

void write_whole_file(std::filesystem::path const& file, std::string_view text, mode_t mode) {
  const std::string part = file.string() + ".part";
  int error = 0;
  try {
    const int descriptor = trace::create_file(part);
    error = write_all(descriptor, text);
    const mode_t mask = ::umask(0);
    ::umask(mask);
    ::fchmod(descriptor, mode & ~mask);
    if (::close(descriptor) != 0 && error == 0) error = errno;
  } catch (std::system_error const& e) {
    throw std::system_error(e.code(), "cannot write " + file.string());
  }
  if (error == 0 && std::rename(part.c_str(), file.c_str()) != 0) error = errno;
  if (error == 0) return;
  ::unlink(part.c_str());
  throw std::system_error(error, std::generic_category(), "cannot write " + file.string());
}

}  // namespace memprof::tools
