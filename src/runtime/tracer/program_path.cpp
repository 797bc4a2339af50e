// SPDX-License-Identifier: MIT
#include "tracer/program_path.hpp"

#include <cerrno>
#include <cstddef>
#include <unistd.h>

namespace memprof::tracer {
namespace {

constinit char program_file[4096] = "program";
constinit std::size_t program_file_length = 7;

}  // namespace

void find_program_path() noexcept {
  const int saved_errno = errno;
  const ssize_t length = readlink("/proc/self/exe", program_file, sizeof program_file);
  if (length > 0) program_file_length = static_cast<std::size_t>(length);
  errno = saved_errno;
}

std::string_view program_path() noexcept { return {program_file, program_file_length}; }

}  // namespace memprof::tracer
