// SPDX-License-Identifier: MIT
/// \file
/// The file of a trace that grows while a program runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace memprof::recorder {

/// Readable by its owner alone. It always ends with a whole packet.
class trace_output {
 public:
  /// \param there a pipe or device, which the user named; else the file is created.
  /// \throws std::system_error as `write` does.
  trace_output(std::string name, bool there);
  ~trace_output();
  trace_output(trace_output const&) = delete;
  trace_output& operator=(trace_output const&) = delete;

  void write(std::span<std::byte const> packet);
  /// Empties it.
  void restart();

 private:
  std::string name_;
  int descriptor_;
  std::uint64_t size_ = 0;
};

}  // namespace memprof::recorder
