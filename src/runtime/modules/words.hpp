// SPDX-License-Identifier: MIT
/// \file
/// Functions and the program in words. For this component only; allocates.
#pragma once

#include <climits>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <string>
#include <unistd.h>

namespace memprof::modules {

/// The name of a function, readable; `name` itself if it is not mangled.
inline std::string demangled(char const* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text{
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free};
  return status == 0 ? text.get() : name;
}

/// The file of the program; empty if the kernel does not say.
inline std::string program_path() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : std::string();
}

}  // namespace memprof::modules
