// SPDX-License-Identifier: MIT
#include "tools/run/process_status.hpp"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <string>
#include <unistd.h>

#include "recorder/recorder.hpp"

namespace memprof::tools {
namespace {

/// In pages.
struct memory_pages {
  std::uint64_t resident = 0;
  std::uint64_t shared = 0;  ///< of files, and shared memory
};

memory_pages pages_of(pid_t process) {
  const int file = open(recorder::file_of_process(process, "statm").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  char text[128] = {};
  const ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  if (size <= 0) return {};
  char* rest = nullptr;
  std::strtoull(text, &rest, 10);  // all of its addresses
  memory_pages pages;
  pages.resident = std::strtoull(rest, &rest, 10);
  pages.shared = std::strtoull(rest, nullptr, 10);
  return pages;
}

std::uint64_t bytes_of(std::uint64_t pages) {
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

std::uint64_t resident_of(pid_t process) { return bytes_of(pages_of(process).resident); }

std::uint64_t anonymous_of(pid_t process) {
  const memory_pages pages = pages_of(process);
  return bytes_of(pages.resident - std::min(pages.resident, pages.shared));
}

std::uint64_t anonymous_share_of(pid_t process) {
  std::ifstream in(recorder::file_of_process(process, "smaps_rollup"));
  for (std::string word; in >> word;) {
    std::uint64_t kilobytes = 0;
    if (word == "Pss_Anon:" && in >> kilobytes) return kilobytes * 1024;
  }
  return anonymous_of(process);
}

std::uint64_t own_anonymous_of(pid_t process) {
  std::ifstream in(recorder::file_of_process(process, "smaps_rollup"));
  std::uint64_t share = 0;
  std::uint64_t own = 0;  // files' pages, too, that it has written to
  for (std::string word; in >> word;) {
    if (word == "Pss_Anon:") in >> share;
    if (word == "Private_Dirty:") in >> own;
  }
  return share != 0 ? std::min(share, own) * 1024 : anonymous_of(process);
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
