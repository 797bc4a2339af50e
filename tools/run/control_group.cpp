// SPDX-License-Identifier: MIT
#include "tools/run/control_group.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdexcept>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "tools/memory_group.hpp"

namespace memprof::tools {
namespace {

namespace fs = std::filesystem;

void write_value(fs::path const& file, std::string const& value) {
  const int descriptor = open(file.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), file.string());
  const ssize_t n = ::write(descriptor, value.data(), value.size());
  const int why = errno;
  close(descriptor);
  if (n < 0) throw std::system_error(why, std::generic_category(), file.string());
}

std::string eighth_more(std::uint64_t limit) { return std::to_string(limit + limit / 8); }

}  // namespace

control_group::control_group(std::uint64_t limit) : second_version_(false), limit_(limit) {
  const memory_group around = find_memory_group();
  fs::path const& parent = around.folder;
  second_version_ = around.second_version;
  try {
    if (!around) throw std::runtime_error("there is no memory controller");
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
