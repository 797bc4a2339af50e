// SPDX-License-Identifier: MIT
#include "tools/run/control_group.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace memprof::tools {
namespace {

namespace fs = std::filesystem;

/// The folder that the line "ID:CONTROLLERS:/PATH" names; empty: there is none.
fs::path own_folder(std::string_view controllers, fs::path const& root) {
  std::ifstream in("/proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    if (line.substr(first + 1, second - first - 1) != controllers) continue;
    // In a container the path may be the host's.
    for (fs::path folder : {root / line.substr(second + 2), root}) {
      if (fs::exists(folder / "cgroup.procs")) return folder;
    }
  }
  return {};
}

void write_value(fs::path const& file, std::string const& value) {
  const int descriptor = open(file.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), file.string());
  const ssize_t n = ::write(descriptor, value.data(), value.size());
  const int why = errno;
  close(descriptor);
  if (n < 0) throw std::system_error(why, std::generic_category(), file.string());
}

/// The number behind `name` in a file of lines "NAME NUMBER"; the whole file's, if it is empty.
std::uint64_t value_in(fs::path const& file, std::string_view name) {
  std::ifstream in(file);
  std::uint64_t value = 0;
  if (name.empty()) {
    in >> value;
    return value;
  }
  for (std::string word; in >> word >> value;) {
    if (word == name) return value;
  }
  return 0;
}

std::string eighth_more(std::uint64_t limit) { return std::to_string(limit + limit / 8); }

}  // namespace

control_group::control_group(std::uint64_t limit) : second_version_(false), limit_(limit) {
  fs::path parent = own_folder("memory", "/sys/fs/cgroup/memory");
  if (parent.empty()) {
    parent = own_folder("", "/sys/fs/cgroup");
    second_version_ = true;
  }
  try {
    if (parent.empty()) throw std::runtime_error("there is no memory controller");
    folder_ = parent / fmt::format("memprof-{}", getpid());
    fs::create_directory(folder_);
    if (second_version_) {
      if (!fs::exists(folder_ / "memory.max")) {
        throw std::runtime_error(parent.string() + "/cgroup.subtree_control has no memory");
      }
      write_value(folder_ / "memory.high", std::to_string(limit));
      write_value(folder_ / "memory.max", eighth_more(limit));
    } else {
      write_value(folder_ / "memory.limit_in_bytes", std::to_string(limit));
      write_value(folder_ / "memory.oom_control", "1");  // wait, until we have looked
    }
    processes_ = open((folder_ / "cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC);
    if (processes_ < 0) {
      throw std::system_error(errno, std::generic_category(), folder_.string());
    }
  } catch (std::exception const& e) {
    std::error_code none;
    if (!folder_.empty()) fs::remove(folder_, none);
    throw std::runtime_error(
        fmt::format("--cgroup: no control group can be made: {}; be root, or run this command in a "
                    "group that is yours (systemd-run --user --scope -p Delegate=yes)",
                    e.what()));
  }
}

control_group::~control_group() {
  close(processes_);
  std::error_code none;
  for (int i = 0; i < 100 && !fs::remove(folder_, none) && none.value() == EBUSY; ++i) {
    usleep(1000);  // its last process is just leaving
  }
}

bool control_group::enter() const noexcept { return ::write(processes_, "0", 1) == 1; }

std::uint64_t control_group::used() const {
  return value_in(folder_ / "memory.stat", second_version_ ? "anon" : "total_rss");
}

bool control_group::has_come_to_limit() {
  if (second_version_) {
    const std::uint64_t number = value_in(folder_ / "memory.events", "high");
    return std::exchange(seen_, number) < number && used() > limit_ / 10 * 9;
  }
  if (passed_ || value_in(folder_ / "memory.oom_control", "under_oom") == 0) return false;
  passed_ = true;
  // Those that wait go on, so that they can handle a signal.
  write_value(folder_ / "memory.limit_in_bytes", eighth_more(limit_));
  write_value(folder_ / "memory.oom_control", "0");
  return true;
}

fs::path control_group::kills() const {
  return folder_ / (second_version_ ? "memory.events" : "memory.oom_control");
}

}  // namespace memprof::tools
