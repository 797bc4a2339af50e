// SPDX-License-Identifier: MIT
#include "tools/recorded_files.hpp"

#include <fmt/format.h>
#include <stdexcept>
#include <system_error>
#include <unistd.h>

#include "trace/trace.hpp"

namespace memprof::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view mark = "%p";

/// "%p" in `name` as `process`.
std::string with_process(std::string name, std::string const& process) {
  for (std::size_t at = 0; (at = name.find(mark, at)) != std::string::npos; at += process.size()) {
    name.replace(at, mark.size(), process);
  }
  return name;
}

}  // namespace

recorded_files::recorded_files(std::string const& wanted, bool force)
    : wanted_(fs::absolute(wanted).string()) {
  if (fs::path(wanted_).parent_path().string().find(mark) != std::string::npos) {
    throw std::runtime_error(wanted + ": %p may stand in the file's name only, not in a folder's");
  }
  const fs::file_status status = fs::status(wanted_);
  direct_ = fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
  if (direct_) {
    written_ = wanted_;
    return;
  }
  if (fs::is_directory(status)) throw std::runtime_error(wanted + " is a folder");
  if (fs::exists(status) && !force) {
    throw std::runtime_error(wanted + " exists; --force overwrites it");
  }
  written_ = fmt::format("{}.{}.part", wanted_, getpid());
  const std::string probe = with_process(written_, std::to_string(getpid()));
  try {
    close(trace::create_file(probe));
  } catch (std::system_error const& e) {
    throw std::system_error(e.code(), "cannot write " + wanted);
  }
  unlink(probe.c_str());
}

recorded_file recorded_files::of(std::string const& process) const {
  return {.written = with_process(written_, process), .wanted = with_process(wanted_, process)};
}

}  // namespace memprof::tools
