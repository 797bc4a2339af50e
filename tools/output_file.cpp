// SPDX-License-Identifier: MIT
#include "tools/output_file.hpp"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <stdexcept>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "tools/remove_on_signal.hpp"
#include "tools/usage_error.hpp"
#include "trace/trace.hpp"

namespace memprof::tools {

void add_output_options(CLI::App& app, output_options& options, bool required) {
  app.add_option("-o,--output", options.file, "Where to write; - for standard output")
      ->type_name("FILE")
      ->required(required);
  app.add_flag("-f,--force", options.force, "Replace the file of -o if there is one");
}

output_file::output_file(output_options const& options, std::vector<std::string> const& inputs,
                         content of)
    : name_(options.file == "-" ? "standard output" : options.file),
      force_(options.force),
      descriptor_(STDOUT_FILENO) {
  buffer_.reserve(capacity);
  if (of == content::text) escaping_.emplace();
  struct stat status {};
  if (options.file.empty()) throw usage_error("--output: the name is empty");
  const bool standard = options.file == "-";
  const bool exists =
      standard ? ::fstat(STDOUT_FILENO, &status) == 0 : ::stat(options.file.c_str(), &status) == 0;
  if (exists && S_ISREG(status.st_mode)) {
    for (std::string const& input : inputs) {
      struct stat other {};
      const bool there =
          input == "-" ? ::fstat(STDIN_FILENO, &other) == 0 : ::stat(input.c_str(), &other) == 0;
      if (there && other.st_dev == status.st_dev && other.st_ino == status.st_ino) {
        throw usage_error("--output: " + name_ + " is what is being read");
      }
    }
  }
  if (standard) return;
  target_ = options.file;
  if (exists && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    fail("");
  }
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = trace::open_pipe_or_device(target_);
    return;
  }
  if (exists && !force_) {
    throw std::runtime_error(name_ + " exists; --force replaces it");
  }
  // A symbolic link stays one: its target is replaced.
  if (exists) target_ = trace::without_link(target_).string();
  const auto path = std::filesystem::path(target_);
  temporary_ = (path.parent_path() / ("." + path.filename().string() + ".XXXXXX")).string();
  descriptor_ = ::mkostemp(temporary_.data(), O_CLOEXEC);
  if (descriptor_ < 0) {
    temporary_.clear();
    fail("");
  }
  remove_on_signal(temporary_.c_str());
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(descriptor_, exists ? status.st_mode & 0777 : 0666 & ~mask);
}

output_file::~output_file() {
  if (descriptor_ >= 0 && !is_standard_output()) ::close(descriptor_);
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  remove_on_signal(nullptr);
}

void output_file::fail(char const* what) const {
  throw std::system_error(errno, std::generic_category(), name_ + what);
}

void output_file::write_through(std::string_view text) {
  write_now(buffer_);
  buffer_.clear();
  if (text.size() >= capacity) return write_now(text);
  buffer_.append(text);
}

void output_file::write_now(std::string_view text) {
  if (!escaping_) return put(text);
  std::string escaped;
  escaping_->add(text, escaped);
  put(escaped);
}

void output_file::put(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor_, bytes.data(), bytes.size());
    if (n < 0 && errno != EINTR) fail("");
    if (n > 0) bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

void output_file::commit() {
  write_now(buffer_);
  buffer_.clear();
  if (escaping_) {
    std::string rest;
    escaping_->finish(rest);
    put(rest);
  }
  if (is_standard_output()) return;
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) fail("");
  if (temporary_.empty()) return;
  // Another process may have created a file of that name in between.
  int renamed = ::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(),
                            force_ ? 0 : RENAME_NOREPLACE);
  if (renamed != 0 && errno == EINVAL) renamed = ::rename(temporary_.c_str(), target_.c_str());
  if (renamed != 0) fail("");
  temporary_.clear();
  remove_on_signal(nullptr);
}

}  // namespace memprof::tools
