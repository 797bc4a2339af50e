// SPDX-License-Identifier: MIT
#include "tools/recorded_files.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdexcept>
#include <system_error>
#include <unistd.h>

namespace memprof::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view mark = "%p";

bool locked_by_another(fs::path const& file) {
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  struct flock whole {};
  whole.l_type = F_RDLCK;
  whole.l_whence = SEEK_SET;
  const bool locked = fcntl(descriptor, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
  close(descriptor);
  return locked;
}

/// The process that `name` was made for from `pattern`, both without folders.
std::optional<pid_t> process_of(std::string_view name, std::string_view pattern) {
  const std::string_view before = pattern.substr(0, pattern.find(mark));
  if (!name.starts_with(before)) return std::nullopt;
  pid_t process = 0;
  const auto [rest, error] =
      std::from_chars(name.data() + before.size(), name.data() + name.size(), process);
  if (error != std::errc{} || with_process(std::string(pattern), process) != name) {
    return std::nullopt;
  }
  return process;
}

}  // namespace

std::string with_process(std::string name, pid_t process) {
  const std::string number = std::to_string(process);
  for (std::size_t at = 0; (at = name.find(mark, at)) != std::string::npos; at += number.size()) {
    name.replace(at, mark.size(), number);
  }
  return name;
}

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
  const std::string probe = with_process(written_, getpid());
  const int descriptor = open(probe.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    throw std::system_error(errno, std::generic_category(), "cannot write " + wanted);
  }
  close(descriptor);
  unlink(probe.c_str());
}

std::vector<recorded_file> recorded_files::found(pid_t process) const {
  std::vector<recorded_file> all;
  if (direct_) return all;
  const fs::path pattern = written_;
  if (pattern.filename().string().find(mark) == std::string::npos) {
    if (fs::exists(pattern)) all.push_back({pattern, wanted_, locked_by_another(pattern)});
    return all;
  }
  std::vector<std::pair<pid_t, fs::path>> files;
  for (auto const& entry : fs::directory_iterator(pattern.parent_path())) {
    const auto of = process_of(entry.path().filename().string(), pattern.filename().string());
    if (of) files.emplace_back(*of, entry.path());
  }
  std::ranges::sort(files, {},
                    [&](auto const& f) { return std::pair(f.first != process, f.first); });
  for (auto const& [of, path] : files) {
    all.push_back({path, with_process(wanted_, of), locked_by_another(path)});
  }
  return all;
}

}  // namespace memprof::tools
