// SPDX-License-Identifier: MIT
/// \file
/// A file that packets are written to.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace memprof::inline v0::trace {

class packet_file {
 public:
  /// Creates it, for its owner alone, or replaces it. Throws std::system_error, as `write` does.
  explicit packet_file(std::filesystem::path const& file);
  ~packet_file();
  packet_file(packet_file&&) = delete;

  void write(std::span<std::byte const> packet);
  /// Errors that show only now are errors, too. To be called once.
  void close();

 private:
  std::string name_;
  int descriptor_;
};

}  // namespace memprof::inline v0::trace
