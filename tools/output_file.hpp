// SPDX-License-Identifier: MIT
/// \file
/// The output of a command: standard output, or a file that gets its name only when it is complete.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/text.hpp"

namespace CLI {
class App;
}

namespace memprof::tools {

/// -o FILE and -f.
struct output_options {
  std::string file = "-";
  bool force = false;
};
/// \param required -o must be given (a binary format, say).
void add_output_options(CLI::App& app, output_options& options, bool required = false);

/// Written under a temporary name in the same folder, and renamed by commit(). If it is not
/// committed (an exception, SIGINT, SIGTERM, SIGHUP) the temporary file is removed. Anything but a
/// regular file ("/dev/null", a pipe) is written directly.
///
///     output_file out(o.output, {o.trace});
///     out.write(text);
///     out.commit();
class output_file {
 public:
  ///  - `inputs`: files that must not be the output: they are being read.
  /// \throws usage_error if the output is an input.
  /// \throws std::runtime_error if it exists and --force was not given.
  /// \throws std::system_error. At once, before any work is done.
  /// text: whoever looks at it on a terminal is safe from what it says (text/printable.hpp).
  enum class content { text, bytes };
  explicit output_file(output_options const& options, std::vector<std::string> const& inputs = {},
                       content of = content::text);
  output_file(output_file const&) = delete;
  output_file& operator=(output_file const&) = delete;
  ~output_file();

  /// Buffered. throws std::system_error that names the file.
  void write(std::string_view text) {
    if (text.size() > capacity - buffer_.size()) return write_through(text);
    buffer_.append(text);
  }

  /// All is written: gives the file its name.
  void commit();

  [[nodiscard]] bool is_standard_output() const noexcept { return target_.empty(); }

 private:
  void write_through(std::string_view text);
  void write_now(std::string_view text);
  void put(std::string_view bytes) const;
  [[noreturn]] void fail(char const* what) const;

  static constexpr std::size_t capacity = 1 << 16;

  std::string name_;       // for messages
  std::string target_;     // empty: standard output
  std::string temporary_;  // empty: there is none
  std::string buffer_;
  std::optional<text::printable_lines> escaping_;
  bool force_;
  int descriptor_;
};

}  // namespace memprof::tools
