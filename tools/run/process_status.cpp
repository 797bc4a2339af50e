// SPDX-License-Identifier: MIT
#include "tools/run/process_status.hpp"

#include <fcntl.h>
#include <fstream>
#include <string>
#include <unistd.h>

#include "recorder/recorder.hpp"

namespace memprof::tools {

std::uint64_t resident_of(pid_t process) {
  const int file = open(recorder::file_of_process(process, "statm").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[128] = {};
  const ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  if (size <= 0) return 0;
  char* rest = nullptr;
  std::strtoull(text, &rest, 10);  // all of its addresses
  return std::strtoull(rest, nullptr, 10) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

bool handles_signal(pid_t process, int signal) {
  std::ifstream in(recorder::file_of_process(process, "status"));
  for (std::string word, mask; in >> word;) {
    if (word != "SigIgn:" && word != "SigCgt:") continue;
    in >> mask;
    if ((std::strtoull(mask.c_str(), nullptr, 16) >> (signal - 1) & 1) != 0) return true;
  }
  return false;
}

}  // namespace memprof::tools
