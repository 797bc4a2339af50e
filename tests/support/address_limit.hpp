// SPDX-License-Identifier: MIT
/// \file
/// A process that finds no memory. Not with sanitizers, which map pages of their own; qemu-user
/// ignores it (scripts/lib/aarch64_excluded.txt).
#pragma once

#include <cstddef>
#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

namespace memprof::test {

/// While it lives, the process maps at most `more` bytes. What malloc has it keeps.
class address_limit {
 public:
  explicit address_limit(std::size_t more) {
    std::size_t pages = 0;
    std::ifstream{"/proc/self/statm"} >> pages;
    getrlimit(RLIMIT_AS, &before_);
    const rlimit now{pages * static_cast<std::size_t>(getpagesize()) + more, before_.rlim_max};
    in_effect_ = pages != 0 && setrlimit(RLIMIT_AS, &now) == 0;
  }
  ~address_limit() { setrlimit(RLIMIT_AS, &before_); }
  address_limit(address_limit const&) = delete;
  address_limit& operator=(address_limit const&) = delete;

  [[nodiscard]] bool in_effect() const { return in_effect_; }

 private:
  rlimit before_{};
  bool in_effect_ = false;
};

}  // namespace memprof::test
