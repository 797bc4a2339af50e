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
  /// Creates or empties it.
  /// throws      std::system_error, as `write` does.
  explicit trace_output(std::string name);
  ~trace_output();
  trace_output(trace_output const&) = delete;
  trace_output& operator=(trace_output const&) = delete;

  void write(std::span<std::byte const> packet);

 private:
  std::string name_;
  int descriptor_;
  std::uint64_t size_ = 0;
};

}  // namespace memprof::recorder
